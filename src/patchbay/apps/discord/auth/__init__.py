"""The connection to Discord: an application of the user's own, whose bot joins a server."""

from patchbay.integration import Auth, AuthField, oauth_fields

from .is_still_verified import is_still_verified
from .oauth import oauth
from .verify_credentials import verify_credentials

auth = Auth(
    fields=(
        *oauth_fields(client_id="consumerKey", client_secret="consumerSecret"),
        AuthField(key="botToken", label="Bot token", required=True, description="It's stored encrypted."),
    ),
    generate_auth_url=oauth.generate_auth_url,
    verify_credentials=verify_credentials,
    is_still_verified=is_still_verified,
)
