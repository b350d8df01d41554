"""The connection to a Vtiger CRM: its address, and the user name and access key of an account."""

from patchbay.integration import Auth, AuthField, instance_url_field

from .is_still_verified import is_still_verified
from .verify_credentials import verify_credentials

auth = Auth(
    fields=(
        AuthField(key="username", label="User name", required=True, decides_destination=False),
        AuthField(
            key="accessKey",
            label="Access key",
            required=True,
            description="Find it in Vtiger under My Preferences.",
        ),
        instance_url_field(
            "Instance URL",
            "https://example.od2.vtiger.com",
            "The address of your Vtiger, including the path if there is one.",
        ),
    ),
    verify_credentials=verify_credentials,
    is_still_verified=is_still_verified,
)
