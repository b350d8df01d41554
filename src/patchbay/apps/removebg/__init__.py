"""remove.bg, cut-out images. API: version 1.0, with an API key."""

from patchbay.integration import App, header_key

from .actions import remove_image_background
from .auth import auth

app = App(
    name="Remove.bg",
    key="removebg",
    supports_connections=True,
    base_url="https://www.remove.bg",
    api_base_url="https://api.remove.bg/v1.0",
    primary_color="#55636c",
    description="Remove the background from images.",
    category="Media",
    keywords=("image", "photo", "background"),
    auth=auth,
    before_request=[header_key("X-API-Key")],
    actions=[remove_image_background],
)
