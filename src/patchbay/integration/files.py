"""Files that a step sends: entered as text or base64, or taken from the output of an earlier step."""

import binascii
import json
import re
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.errors import ValidationFailed
from patchbay.domain.file_names import unreserved_name
from patchbay.domain.files import OCTET_STREAM
from patchbay.integration.values import as_text, parameter_error, to_single_line

MEGABYTE = 1024 * 1024
_NAME_KEYS = ("filename", "fileName", "name")
_CONTENT_KEYS = ("content", "base64", "data")
_TYPE_KEYS = ("contentType", "mimeType", "type")
_DATA_ADDRESS = re.compile(r"data:(?P<type>[\w.+/-]{0,200})[^,]{0,200};base64,", re.IGNORECASE)
"""Its parts have length limits: otherwise a long text that only begins like one would take quadratic time."""
_TYPE = re.compile(r"[\w.+-]{1,60}/[\w.+-]{1,100}")


@dataclass(frozen=True)
class File:
    """A file to send. `type` is its media type; if empty, it's derived from the name."""

    name: str
    content: bytes = field(repr=False)
    type: str = ""
    is_utf8: bool = False
    """Whether the content is text from the form, and not bytes in an unknown encoding."""

    @property
    def content_type(self) -> str:
        """The media type: as given, by the name, or application/octet-stream."""
        import mimetypes

        known = self.type if _TYPE.fullmatch(self.type) else mimetypes.guess_type(self.name)[0]
        return known or OCTET_STREAM


@dataclass(frozen=True)
class FileArgument:
    """The argument that files are read from: its key, and the name for files that have none."""

    key: str
    default_name: str = "file"

    def files(self, content: Json, *, name: str = "", is_base64: bool = False) -> Iterator[File]:
        """The files in an entered value: a text, a file of an earlier step, or a list of them.

        Raises `ValidationFailed` for a file without content, and for text that should be base64 and isn't.
        """
        if isinstance(content, list):
            for item in content:
                yield self._from_value(item, name if len(content) == 1 else "")
        elif isinstance(content, dict):
            yield self._from_value(content, name)
        elif as_text(content) or name:
            yield self._from_text(as_text(content), name, is_base64)

    def one_in_base64(self, parameters: JsonObject) -> str:
        """The content of the only file, in base64, for services that take it in JSON.

        Text counts as base64. Raises `ValidationFailed` if there is no file, or more than one.
        """
        files = list(self.files(parameters.get(self.key), is_base64=True))
        if len(files) != 1:
            raise self._error(
                "Choose one file." if files else "Choose a file.", "Use a loop to send several files."
            )
        return b64encode(files[0].content).decode("ascii")

    def require_total_size(self, files: Iterable[File], max_bytes: int, what: str) -> None:
        """Raise `ValidationFailed` if the files exceed `max_bytes` in total."""
        size = sum(len(file.content) for file in files)
        if size > max_bytes:
            raise self._error(
                f"{what} are too large: {size / MEGABYTE:.1f} MB.",
                f"{max_bytes // MEGABYTE} MB in total is the limit. Send a link instead.",
            )

    def _from_text(self, content: str, name: str, is_base64: bool) -> File:
        if not is_base64:
            text = content.encode("utf-8", "replace")
            return File(clean_file_name(name, f"{self.default_name}.txt"), text, is_utf8=True)
        kind = _DATA_ADDRESS.match(content)
        data = content[kind.end() :] if kind else content
        shown = clean_file_name(name, self.default_name)
        return File(shown, self._decode(data, shown), kind["type"] if kind else "")

    def _from_value(self, value: Json, name: str) -> File:
        """The file in a file object, such as an upload to a webhook. Other values become a JSON file."""
        if isinstance(value, dict) and is_file_object(value):
            shown = clean_file_name(name or _first_text(value, _NAME_KEYS), self.default_name)
            content = _first_text(value, _CONTENT_KEYS)
            if not content and value.get("size") != 0:
                raise self._error(
                    f"The file “{shown}” has no content.",
                    "Turn on the file's content in the step that reads it.",
                )
            return File(shown, self._decode(content, shown), _first_text(value, _TYPE_KEYS))
        data = json.dumps(value, ensure_ascii=False, indent=2).encode()
        return File(clean_file_name(name, f"{self.default_name}.json"), data, "application/json")

    def _decode(self, data: str, name: str) -> bytes:
        try:
            return b64decode("".join(data.split()), validate=True)
        except (binascii.Error, ValueError):
            raise self._error(
                f"The content of “{name}” isn't valid base64.",
                "Choose Text, or encode it in a Formatter step.",
            ) from None

    def _error(self, message: str, todo: str) -> ValidationFailed:
        return parameter_error(self.key, message, todo)


def clean_file_name(name: str, default: str) -> str:
    """A file name without folders and line breaks."""
    line = to_single_line(name)
    return unreserved_name(line[max(line.rfind("/"), line.rfind("\\")) + 1 :].strip(". ")[:200]) or default


def is_file_object(value: Json) -> bool:
    """Whether a value of an earlier step is a file, as webhooks, IMAP, and downloads output them."""
    if not isinstance(value, dict):
        return False
    has_content = "size" in value or bool(_first_text(value, _CONTENT_KEYS))
    return isinstance(value.get("base64"), str) or (has_content and bool(_first_text(value, _NAME_KEYS)))


def _first_text(value: JsonObject, keys: tuple[str, ...]) -> str:
    return next((found for key in keys if isinstance(found := value.get(key), str) and found), "")
