"""The content of files: decoding what is read, and encoding what is written."""

from patchbay.domain.base import Json
from patchbay.domain.charsets import codec_for, decode
from patchbay.domain.errors import ValidationFailed
from patchbay.domain.json_codec import encode_json
from patchbay.domain.json_limits import read_json
from patchbay.integration import Context
from patchbay.integration.files import FileArgument, is_file_object
from patchbay.integration.values import as_text, parameter_error

ENCODINGS: tuple[tuple[Json, str], ...] = (
    ("utf-8", "UTF-8"),
    ("windows-1252", "Windows-1252 (Western)"),
    ("iso-8859-1", "ISO-8859-1 (Latin 1)"),
    ("iso-8859-15", "ISO-8859-15 (Latin 9)"),
    ("windows-1250", "Windows-1250 (Central European)"),
    ("windows-1251", "Windows-1251 (Cyrillic)"),
    ("utf-16", "UTF-16"),
    ("shift-jis", "Shift JIS"),
    ("gb18030", "GB18030"),
)
MAX_BYTES = 10 << 20
"""Largest file that a step reads, and largest content that it writes."""
_WORKER_THRESHOLD = 256 << 10
_FILE = FileArgument("content")


def decode_text(content: bytes, encoding: str) -> str:
    """The text of a file, without a byte order mark. Raises `ValidationFailed`."""
    try:
        return decode(content, encoding).removeprefix("\ufeff")
    except ValueError:
        raise parameter_error(
            "encoding",
            "The file isn't text in this encoding.",
            "Choose another encoding, or read it as a file.",
        ) from None


async def decode_json(ctx: Context, content: bytes) -> Json:
    """The JSON value of a file. Raises `ValidationFailed`."""
    if len(content) > _WORKER_THRESHOLD:
        value, is_json = await ctx.compute(parse_json, content, output_bytes=32 << 20)
    else:
        value, is_json = parse_json(content)
    if not is_json:
        raise parameter_error("format", "The file isn't valid JSON.", "Read it as text, or correct the file.")
    return value


def parse_json(content: bytes) -> tuple[Json, bool]:
    """The value, and whether it is one. For workers."""
    try:
        return read_json(content.removeprefix(b"\xef\xbb\xbf")), True
    except (ValueError, RecursionError):
        return None, False


def encode_content(value: Json, encoding: str, *, as_line: bool = False) -> bytes:
    """The bytes to write: of a file of an earlier step, of text, or of any other value as JSON.

    `as_line`: it ends with a line break.
    """
    content = next(_FILE.files(value)).content if is_file_object(value) else _encode(_text(value), encoding)
    if len(content) > MAX_BYTES:
        raise _size_error(len(content))
    return content + b"\n" if as_line and not content.endswith(b"\n") else content


def require_appendable(encoding: str) -> None:
    """Raise `ValidationFailed` for an encoding whose byte order mark may only be at the start of a file."""
    if (codec_for(encoding) or "").startswith(("utf-16", "utf-32")):
        raise parameter_error(
            "encoding", "Text can't be added to a file in UTF-16.", "Choose another encoding."
        )


def _text(value: Json) -> str:
    if not isinstance(value, (list, dict)):
        return as_text(value)
    try:
        return encode_json(value)
    except RecursionError:
        raise parameter_error("content", "The value is nested too deeply.") from None


def _encode(text: str, encoding: str) -> bytes:
    if len(text) > MAX_BYTES:
        raise _size_error(len(text))
    if (codec := codec_for(encoding)) is None:
        raise parameter_error("encoding", f"The encoding “{encoding[:40]}” isn't supported.", "Choose UTF-8.")
    try:
        return text.encode(codec)  # allow encoding: `codec_for` returns only those of the allow-list
    except UnicodeEncodeError:
        raise parameter_error(
            "encoding", "The text has characters that this encoding doesn't have.", "Choose UTF-8."
        ) from None


def _size_error(size: int) -> ValidationFailed:
    shown = f"{size / (1 << 20):.1f} MB"
    return parameter_error(
        "content", f"The content is too large: {shown}. The limit is {MAX_BYTES >> 20} MB."
    )
