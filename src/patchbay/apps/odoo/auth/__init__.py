"""The connection to an Odoo database: the server, the database, and the API key of an account."""

from patchbay.integration import Auth, AuthField, Option, api_key_field

from .is_still_verified import is_still_verified
from .verify_credentials import verify_credentials

auth = Auth(
    fields=(
        AuthField(
            key="host",
            label="Host name",
            required=True,
            placeholder="example.odoo.com",
            description="The name in the address of your Odoo, without https://.",
        ),
        AuthField(key="port", label="Port", required=True, value="443"),
        AuthField(
            key="secure",
            label="Encrypted",
            type="dropdown",
            required=True,
            value="true",
            options=(Option(label="Yes", value="true"), Option(label="No", value="false")),
            description="Without encryption, anyone on the way can read the API key.",
        ),
        AuthField(
            key="databaseName",
            label="Database name",
            required=True,
            description="On odoo.com, this is usually the first part of the host name.",
        ),
        AuthField(key="email", label="Email address", required=True, description="What you sign in with."),
        api_key_field(),
    ),
    verify_credentials=verify_credentials,
    is_still_verified=is_still_verified,
    sends_to=("http://{auth.host}:{auth.port}",),
)
