"""Request bodies: text as entered, form fields, a multipart form with files, or one file."""

from collections.abc import Iterator

from patchbay.domain.base import Json, JsonObject
from patchbay.integration import Argument, dropdown, name_value_rows, rows, text
from patchbay.integration.files import File, FileArgument, is_file_object
from patchbay.integration.request import FormPart, RequestOptions
from patchbay.integration.request_actions import pairs_from_rows
from patchbay.integration.values import as_text, parameter_error, text_of

TEXT, FORM, MULTIPART, FILE = "text", "form", "multipart", "file"
_KINDS = ((TEXT, "Text or JSON"), (FORM, "Form"), (MULTIPART, "Multipart form"), (FILE, "File"))
_PART_KINDS = (("text", "Text"), ("base64", "Base64"))
_PARTS = "parts"

BODY_ARGUMENTS: tuple[Argument, ...] = (
    dropdown("bodyType", "Body type", _KINDS, value=TEXT),
    text(
        "data",
        "Data",
        multiline=True,
        description="Request body, sent exactly as entered.",
        visible_if={"bodyType": [TEXT, "", None]},
    ),
    name_value_rows("formFields", "Form fields", add="Add field", visible_if={"bodyType": FORM}),
    rows(
        _PARTS,
        "Form fields and files",
        (
            text("key", "Name", required=True),
            text(
                "value",
                "Content",
                multiline=True,
                description="Text, base64, or a file or list of files from an earlier step.",
            ),
            dropdown("kind", "Content type", _PART_KINDS, value="text"),
            text("fileName", "File name", description="Makes text or base64 a file."),
        ),
        add="Add field or file",
        visible_if={"bodyType": MULTIPART},
    ),
    text(
        "file",
        "File",
        required=True,
        multiline=True,
        description="A file from an earlier step, or base64.",
        visible_if={"bodyType": FILE},
    ),
    text(
        "fileType",
        "Media type",
        placeholder="image/png",
        description="Sent as Content-Type. Leave empty to use the file's own type.",
        visible_if={"bodyType": FILE},
    ),
)


def body_options(parameters: JsonObject, headers: dict[str, str]) -> RequestOptions:
    """The body and headers of the request. Only text has the Content-Type that was entered.

    Raises `ValidationFailed` for a file that can't be read.
    """
    kind = text_of(parameters, "bodyType") or TEXT
    if kind == TEXT:
        return {"headers": headers, "content": text_of(parameters, "data") or None}
    headers = {name: value for name, value in headers.items() if name != "content-type"}
    if kind == FORM:
        return {"headers": headers, "form": _form(parameters.get("formFields"))}
    if kind == MULTIPART:
        return {"headers": headers, "multipart": [*_parts(parameters.get(_PARTS))]}
    if kind != FILE:
        raise parameter_error("bodyType", f"Choose one of {', '.join(label for _, label in _KINDS)}.")
    file = _single_file(parameters)
    media_type = text_of(parameters, "fileType").strip() or file.content_type
    return {"headers": headers | {"content-type": media_type}, "content": file.content}


def _form(entered: Json) -> dict[str, list[str]]:
    """The values by name; a name can occur more than once."""
    form: dict[str, list[str]] = {}
    for name, value in pairs_from_rows(entered):
        form.setdefault(name, []).append(value)
    return form


def _parts(entered: Json) -> Iterator[FormPart]:
    for number, row in enumerate(entered if isinstance(entered, list) else [], start=1):
        if isinstance(row, dict) and (name := as_text(row.get("key")).strip()):
            yield from _parts_of_row(name, row, FileArgument(_PARTS, f"file-{number}"))


def _parts_of_row(name: str, row: JsonObject, argument: FileArgument) -> Iterator[FormPart]:
    content, file_name = row.get("value"), as_text(row.get("fileName"))
    is_base64 = row.get("kind") == "base64"
    items = content if isinstance(content, list) else [content]
    if not (is_base64 or file_name or (items and all(map(is_file_object, items)))):
        yield FormPart(name, as_text(content))
        return
    for file in argument.files(content, name=file_name, is_base64=is_base64):
        yield FormPart(name, file.content, file.name, file.content_type)


def _single_file(parameters: JsonObject) -> File:
    found = [*FileArgument("file").files(parameters.get("file"), is_base64=True)]
    if len(found) != 1:
        raise parameter_error(
            "file",
            "Enter a file." if not found else f"This is a list of {len(found)} files.",
            "Choose one file of an earlier step. To send several, choose Multipart form.",
        )
    return found[0]
