"""The connection to GitLab: the address, and a sign-in through an application of the user's own."""

from patchbay.integration import AuthField, oauth_auth

from .is_still_verified import is_still_verified
from .oauth import oauth
from .verify_credentials import verify_credentials

instance_url = AuthField(
    key="instanceUrl",
    label="Instance URL",
    value="https://gitlab.com",
    description="The address of your own GitLab server, if you have one.",
)

auth = oauth_auth(
    oauth, verify_credentials, is_still_verified, instance_url, sends_to=("{auth.instanceUrl}",)
)
