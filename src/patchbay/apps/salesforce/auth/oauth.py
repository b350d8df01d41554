"""OAuth 2 with the addresses of the service."""

from patchbay.integration import oauth2, revocation

oauth = oauth2(
    authorize_url="{auth.oauth2Url}/authorize",
    token_url="{auth.oauth2Url}/token",
    client_id_field="consumerKey",
    client_secret_field="consumerSecret",
    stores={"instanceUrl": "{instance_url}"},
    revoke=revocation("{auth.oauth2Url}/revoke", client_auth="none"),
)
