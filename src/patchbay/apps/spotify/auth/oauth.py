"""OAuth 2 with the addresses of the service."""

from patchbay.integration import oauth2

oauth = oauth2(
    authorize_url="https://accounts.spotify.com/authorize",
    token_url="https://accounts.spotify.com/api/token",
    scopes=(
        "user-follow-read",
        "playlist-read-private",
        "playlist-read-collaborative",
        "user-library-read",
        "playlist-modify-public",
        "playlist-modify-private",
        "user-library-modify",
        "user-follow-modify",
    ),
    client_auth="basic",
    pkce=False,
)
