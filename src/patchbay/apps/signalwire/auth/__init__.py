"""The connection to SignalWire: a space, a project in it, and an API token."""

from patchbay.integration import Auth, AuthField, Option

from .is_still_verified import is_still_verified
from .verify_credentials import verify_credentials

auth = Auth(
    fields=(
        AuthField(key="accountSid", label="Project ID", required=True, decides_destination=False),
        AuthField(key="authToken", label="API token", required=True, description="It's stored encrypted."),
        AuthField(
            key="spaceRegion",
            label="Region",
            type="dropdown",
            value="",
            options=(Option(label="US", value=""), Option(label="Europe", value="eu-")),
        ),
        AuthField(
            key="spaceName",
            label="Space name",
            required=True,
            placeholder="example",
            description="The first part of the space's address: example of example.signalwire.com.",
        ),
    ),
    verify_credentials=verify_credentials,
    is_still_verified=is_still_verified,
)
