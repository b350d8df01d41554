"""Files as values in step data: the shape in which webhooks, downloads, and apps output them."""

from base64 import b64encode

from patchbay.domain.base import JsonObject

OCTET_STREAM = "application/octet-stream"
"""The media type of bytes without a declared type."""


def file_object(name: str, content_type: str, content: bytes) -> JsonObject:
    """A file as step data: name, media type, size in bytes, and content in base64."""
    return {
        "name": name,
        "contentType": content_type or OCTET_STREAM,
        "size": len(content),
        "base64": b64encode(content).decode("ascii"),
    }
