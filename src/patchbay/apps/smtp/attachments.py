"""Attachments: rows of the form, and files from the output of earlier steps."""

from patchbay.domain.base import JsonObject
from patchbay.domain.files import OCTET_STREAM
from patchbay.integration import Argument, dropdown, rows, text
from patchbay.integration.files import MEGABYTE, File, FileArgument
from patchbay.integration.values import as_text

MAX_TOTAL_BYTES = 18 * MEGABYTE
"""Max. bytes of all attachments together: 25 MB when encoded, the limit of most mail services."""
_ARGUMENT_KEY = "attachments"


def media_type(file: File) -> tuple[str, str]:
    """Main and sub type of an attachment; types that mail programs would unpack become plain bytes."""
    known = file.content_type
    if known.startswith(("multipart/", "message/")):
        known = OCTET_STREAM
    main, _, sub = known.partition("/")
    return main, sub


def attachment_rows() -> Argument:
    """The field for files to attach, one row per file."""
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
        description=f"{MAX_TOTAL_BYTES // MEGABYTE} MB in total.",
        add="Add attachment",
    )


def parse_files(parameters: JsonObject) -> tuple[File, ...]:
    """The files of all rows. Raises `ValidationFailed` if one is invalid, or all are too large."""
    given = parameters.get(_ARGUMENT_KEY)
    files: list[File] = []
    for number, row in enumerate(given if isinstance(given, list) else [], start=1):
        if isinstance(row, dict):
            argument = FileArgument(_ARGUMENT_KEY, f"attachment-{number}")
            name, is_base64 = as_text(row.get("name")), row.get("kind") == "base64"
            files += argument.files(row.get("content"), name=name, is_base64=is_base64)
    FileArgument(_ARGUMENT_KEY).require_total_size(files, MAX_TOTAL_BYTES, "The attachments")
    return tuple(files)
