"""OAuth 2 with the addresses of the service."""

from patchbay.integration import oauth2

oauth = oauth2(
    authorize_url="https://api.surveymonkey.com/oauth/authorize",
    token_url="https://api.surveymonkey.com/oauth/token",
    stores={"accessUrl": "{access_url}"},
    pkce=False,
)
