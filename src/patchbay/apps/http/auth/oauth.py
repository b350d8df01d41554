from patchbay.integration import oauth2

oauth = oauth2(
    authorize_url="{auth.authorizeUrl}",
    device_url="{auth.deviceUrl}",
    token_url="{auth.tokenUrl}",
    scopes="{auth.scopes}",
    issuer="{auth.issuer}",
    client_auth="{auth.clientAuth}",
)
