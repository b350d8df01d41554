"""The connection to a site: its address, and a sign-in through an OAuth client of the site."""

from patchbay.integration import Auth, AuthField, oauth_fields

from .is_still_verified import is_still_verified
from .oauth import oauth
from .verify_credentials import verify_credentials

_redirect, _client_id, _client_secret = oauth_fields(client_id="consumerKey", client_secret="consumerSecret")

site_url = AuthField(
    key="site_url",
    label="Site URL",
    required=True,
    placeholder="https://example.erpnext.com",
    description="The address of your site, without the path of a page.",
)

auth = Auth(
    fields=(_redirect, site_url, _client_id, _client_secret),
    generate_auth_url=oauth.generate_auth_url,
    verify_credentials=verify_credentials,
    is_still_verified=is_still_verified,
    refresh_token=oauth.refresh_token,
)
