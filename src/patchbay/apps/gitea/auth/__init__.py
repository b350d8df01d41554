"""The connection to a Gitea server: its address, and a sign-in through an application of the user's own."""

from patchbay.integration import Auth, AuthField, oauth_fields

from .is_still_verified import is_still_verified
from .oauth import oauth
from .verify_credentials import verify_credentials

_redirect, _client_id, _client_secret = oauth_fields()

instance_url = AuthField(
    key="instanceUrl",
    label="Instance URL",
    required=True,
    placeholder="https://gitea.example.com",
    description="The address of your Gitea server's home page.",
)

auth = Auth(
    fields=(_redirect, instance_url, _client_id, _client_secret),
    generate_auth_url=oauth.generate_auth_url,
    verify_credentials=verify_credentials,
    is_still_verified=is_still_verified,
    refresh_token=oauth.refresh_token,
    stored=("repoOwner",),
)
