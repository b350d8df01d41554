"""Attachments: rows of the form, and files from the output of earlier steps."""

import binascii
import json
import re
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import dataclass, field

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.errors import ValidationFailed
from patchbay.integration import Argument, dropdown, rows, text
from patchbay.integration.values import as_text, parameter_error

from .addresses import to_single_line

MAX_TOTAL_BYTES = 18 * 1024 * 1024
"""Max. bytes of all attachments together: 25 MB when encoded, the limit of most mail services."""
_MEGABYTE = 1024 * 1024
_ARGUMENT_KEY = "attachments"
_NAME_KEYS = ("filename", "fileName", "name")
_CONTENT_KEYS = ("content", "base64", "data")
_TYPE_KEYS = ("contentType", "mimeType", "type")
_DATA_ADDRESS = re.compile(r"data:(?P<type>[\w.+/-]*)[^,]*;base64,", re.IGNORECASE)
_TYPE = re.compile(r"[\w.+-]{1,60}/[\w.+-]{1,100}")
_FOLDER_PART = re.compile(r".*[/\\]", re.DOTALL)


@dataclass(frozen=True)
class File:
    """A file to attach. `type` is its media type; empty: derived from its name."""

    name: str
    content: bytes = field(repr=False)
    type: str = ""
    is_utf8: bool = False
    """Whether the content is text from the form, and not bytes in an unknown encoding."""

    @property
    def media_type(self) -> tuple[str, str]:
        """Main and sub type; bytes without a known type are application/octet-stream."""
        import mimetypes

        known = self.type if _TYPE.fullmatch(self.type) else mimetypes.guess_type(self.name)[0]
        if known is None or known.startswith(("multipart/", "message/")):
            known = "application/octet-stream"
        main, _, sub = known.partition("/")
        return main, sub


def attachment_rows() -> Argument:
    return rows(
        _ARGUMENT_KEY,
        "Attachments",
        (
            text("name", "File name", placeholder="report.csv"),
            text(
                "content",
                "Content",
                required=True,
                multiline=True,
                description="Text, base64, or a file or list of files from an earlier step.",
            ),
            dropdown("kind", "Content type", (("text", "Text"), ("base64", "Base64")), value="text"),
        ),
        description=f"{MAX_TOTAL_BYTES // _MEGABYTE} MB in total.",
        add="Add attachment",
    )


def parse_files(parameters: JsonObject) -> tuple[File, ...]:
    """The files of all rows. Raises `ValidationFailed` if one is invalid, or all are too large."""
    given = parameters.get(_ARGUMENT_KEY)
    files: list[File] = []
    for number, row in enumerate(given if isinstance(given, list) else [], start=1):
        if isinstance(row, dict):
            files += _files_in_row(row, number)
    size = sum(len(file.content) for file in files)
    if size > MAX_TOTAL_BYTES:
        raise _attachment_error(
            f"The attachments are too large: {size / _MEGABYTE:.1f} MB.",
            f"{MAX_TOTAL_BYTES // _MEGABYTE} MB in total is the limit. Send a link instead.",
        )
    return tuple(files)


def _files_in_row(row: JsonObject, number: int) -> Iterator[File]:
    name, content = as_text(row.get("name")), row.get("content")
    if isinstance(content, list):
        for item in content:
            yield _file_from_value(item, name if len(content) == 1 else "", number)
    elif isinstance(content, dict):
        yield _file_from_value(content, name, number)
    elif as_text(content) or name:
        yield _file_from_text(as_text(content), name, row.get("kind") == "base64", number)


def _file_from_text(content: str, name: str, is_base64: bool, number: int) -> File:
    if not is_base64:
        text_ = content.encode("utf-8", "replace")
        return File(_clean_file_name(name, f"attachment-{number}.txt"), text_, is_utf8=True)
    kind = _DATA_ADDRESS.match(content)
    data = content[kind.end() :] if kind else content
    shown = _clean_file_name(name, f"attachment-{number}")
    return File(shown, _decode_base64(data, shown), kind["type"] if kind else "")


def _file_from_value(value: Json, name: str, number: int) -> File:
    """A file object: a name and its content in base64. Any other object becomes a JSON file."""
    if isinstance(value, dict) and (own := _first_text(value, _NAME_KEYS)):
        shown = _clean_file_name(name or own, f"attachment-{number}")
        content = _first_text(value, _CONTENT_KEYS)
        if not content and value.get("size") != 0:
            raise _attachment_error(
                f"The file “{shown}” has no content.",
                "Turn on the file's content in the step that reads it.",
            )
        return File(shown, _decode_base64(content, shown), _first_text(value, _TYPE_KEYS))
    data = json.dumps(value, ensure_ascii=False, indent=2).encode()
    return File(_clean_file_name(name, f"attachment-{number}.json"), data, "application/json")


def _decode_base64(data: str, name: str) -> bytes:
    try:
        return b64decode("".join(data.split()), validate=True)
    except (binascii.Error, ValueError):
        raise _attachment_error(
            f"The content of “{name}” isn't valid base64.", "Choose Text, or encode it in a Formatter step."
        ) from None


def _first_text(value: JsonObject, keys: tuple[str, ...]) -> str:
    return next((found for key in keys if isinstance(found := value.get(key), str) and found), "")


def _clean_file_name(name: str, default: str) -> str:
    """A file name without folders and line breaks."""
    return _FOLDER_PART.sub("", to_single_line(name)).strip(". ")[:200] or default


def _attachment_error(message: str, todo: str) -> ValidationFailed:
    return parameter_error(_ARGUMENT_KEY, message, todo)
