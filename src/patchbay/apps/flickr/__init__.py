"""Flickr, photos. API: REST with JSON responses, with OAuth 1.0a."""

from patchbay.integration import App, error_at

from .auth import auth
from .auth.oauth import oauth
from .dynamic_data import list_albums
from .triggers import new_albums, new_favorite_photos, new_photos, new_photos_in_album

app = App(
    name="Flickr",
    key="flickr",
    supports_connections=True,
    base_url="https://www.flickr.com/",
    api_base_url="https://www.flickr.com/services",
    primary_color="#000000",
    description="Start a flow for new photos, albums, and favorites.",
    category="Media",
    keywords=("photo", "picture"),
    auth=auth,
    before_request=[oauth.sign],
    error_in_response=error_at(
        "message", failed=lambda body: isinstance(body, dict) and body.get("stat") == "fail"
    ),
    triggers=[new_albums, new_favorite_photos, new_photos, new_photos_in_album],
    dynamic_data=[list_albums],
)
