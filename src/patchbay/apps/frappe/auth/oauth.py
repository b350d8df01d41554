"""OAuth 2 with the addresses of the site."""

from patchbay.integration import oauth2

oauth = oauth2(
    authorize_url="{auth.site_url}/api/v2/method/frappe.integrations.oauth2.authorize",
    token_url="{auth.site_url}/api/method/frappe.integrations.oauth2.get_token",
    scopes=("all", "openid"),
    client_id_field="consumerKey",
    client_secret_field="consumerSecret",
)
