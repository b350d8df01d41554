"""The connection to a site: its address, and a sign-in through an OAuth client of the site."""

from patchbay.integration import instance_url_field, oauth_auth

from .is_still_verified import is_still_verified
from .oauth import oauth
from .verify_credentials import verify_credentials

auth = oauth_auth(
    oauth,
    verify_credentials,
    is_still_verified,
    instance_url_field(
        "Site URL",
        "https://example.erpnext.com",
        "The address of your site, without the path of a page.",
        key="site_url",
    ),
)
