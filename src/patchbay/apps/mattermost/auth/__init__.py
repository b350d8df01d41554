"""The connection to a Mattermost: its address, and a sign-in through an OAuth 2.0 application there."""

from patchbay.integration import Auth, AuthField, oauth_fields

from .is_still_verified import is_still_verified
from .oauth import oauth
from .verify_credentials import verify_credentials

_redirect, _client_id, _client_secret = oauth_fields()

auth = Auth(
    fields=(
        _redirect,
        AuthField(
            key="instanceUrl",
            label="Mattermost URL",
            required=True,
            placeholder="https://chat.example.com",
            description="The address of your Mattermost, without a team.",
        ),
        _client_id,
        _client_secret,
    ),
    generate_auth_url=oauth.generate_auth_url,
    verify_credentials=verify_credentials,
    is_still_verified=is_still_verified,
    refresh_token=oauth.refresh_token,
)
