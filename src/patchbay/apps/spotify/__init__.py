"""Spotify, music streaming. API: Web API version 1, with OAuth 2."""

from patchbay.integration import App, bearer

from .actions import create_playlist
from .auth import auth

app = App(
    name="Spotify",
    key="spotify",
    supports_connections=True,
    base_url="https://spotify.com",
    api_base_url="https://api.spotify.com",
    primary_color="#000000",
    description="Create playlists.",
    category="Media",
    keywords=("music",),
    auth=auth,
    before_request=[bearer(field="accessToken")],
    actions=[create_playlist],
)
