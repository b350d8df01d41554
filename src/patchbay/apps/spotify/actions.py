"""Actions."""

from patchbay.domain.base import JsonObject
from patchbay.integration import dropdown, request_action, text


def _playlist(parameters: JsonObject) -> JsonObject:
    """The playlist to create; private unless “Public” was chosen, whatever a variable gives."""
    playlist: JsonObject = {
        "name": parameters.get("playlistName"),
        "public": parameters.get("playlistVisibility") == "Public",
    }
    if description := parameters.get("playlistDescription"):
        playlist["description"] = description
    return playlist


create_playlist = request_action(
    key="createPlaylist",
    name="Create playlist",
    description="Creates an empty playlist in your account.",
    arguments=(
        text("playlistName", "Name", required=True),
        dropdown(
            "playlistVisibility",
            "Visibility",
            ("Public", "Private"),
            required=True,
            variables=True,
            description="Public playlists are shown on your profile.",
        ),
        text("playlistDescription", "Description"),
    ),
    request="POST /v1/me/playlists",
    body=_playlist,
)
