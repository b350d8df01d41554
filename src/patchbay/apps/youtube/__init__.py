"""YouTube. API: Data API version 3, with OAuth 2."""

from patchbay.integration import App, bearer

from .auth import auth
from .triggers import new_video_by_search, new_video_in_channel

app = App(
    name="YouTube",
    key="youtube",
    supports_connections=True,
    base_url="https://www.youtube.com/",
    api_base_url="https://www.googleapis.com/youtube",
    primary_color="#FF0000",
    description="Start a flow for new videos in a channel or a search.",
    category="Media",
    keywords=("video",),
    auth=auth,
    before_request=[bearer(field="accessToken")],
    triggers=[new_video_by_search, new_video_in_channel],
)
