"""Actions."""

from patchbay.domain.base import JsonObject
from patchbay.integration import dropdown, request_action, text
from patchbay.integration.files import FileArgument

_IMAGE = FileArgument("imageFileB64", "image")
_SECONDS = 120
"""Large images take longer than other requests."""


def _body(parameters: JsonObject) -> JsonObject:
    return {
        "image_file_b64": _IMAGE.one_in_base64(parameters),
        "size": parameters.get("size"),
        "bg_color": parameters.get("bgColor"),
        "bg_image_url": parameters.get("bgImageUrl"),
        "format": parameters.get("outputFormat"),
    }


remove_image_background = request_action(
    key="removeImageBackground",
    name="Remove image background",
    description="Removes the background of an image. Outputs the result as base64 (data.result_b64).",
    arguments=(
        text(
            "imageFileB64",
            "Image",
            required=True,
            description="A file of an earlier step, or the content of an image as base64.",
        ),
        dropdown(
            "size",
            "Size",
            (
                ("auto", "As large as your credits allow"),
                ("preview", "Preview, up to 0.25 megapixels"),
                ("full", "Full size"),
            ),
            required=True,
            value="auto",
        ),
        text(
            "bgColor",
            "Background colour",
            description="A name or a hex code, such as green or 81d4fa. Empty: transparent.",
        ),
        text("bgImageUrl", "URL of a background image", description="Fills the background with an image."),
        dropdown(
            "outputFormat",
            "Format of the result",
            (
                ("auto", "PNG if there is transparency, otherwise JPG"),
                ("png", "PNG"),
                ("jpg", "JPG"),
                ("zip", "ZIP, which is faster for large images"),
            ),
            required=True,
            value="auto",
        ),
    ),
    request="POST /removebg",
    body=_body,
    headers={"Accept": "application/json"},
    seconds=_SECONDS,
)
