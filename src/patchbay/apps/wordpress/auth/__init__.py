"""The connection to a WordPress site: its address, and a sign-in that creates an application password."""

from patchbay.integration import Auth, AuthField, oauth_fields

from .is_still_verified import is_still_verified
from .sign_in import sign_in
from .verify_credentials import verify_credentials

instance_url = AuthField(
    key="instanceUrl",
    label="Site URL",
    required=True,
    placeholder="https://example.com",
    description="The address of the site, including the path if there is one.",
)

auth = Auth(
    fields=(oauth_fields()[0], instance_url),
    generate_auth_url=sign_in.generate_auth_url,
    verify_credentials=verify_credentials,
    is_still_verified=is_still_verified,
)
