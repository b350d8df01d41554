"""The fields of a type of document, as its metadata describes them."""

from typing import Any

from patchbay.integration import Argument, Context, dropdown, segment, text
from patchbay.integration.values import text_of

TABLES = ("Table", "Table MultiSelect")
_NO_VALUE = (
    "Section Break",
    "Column Break",
    "Tab Break",
    "Fold",
    "Heading",
    "HTML",
    "Button",
    "Image",
)
"""Types of fields that only shape the form."""
_LONG = ("Text", "Small Text", "Long Text", "Text Editor", "Markdown Editor", "HTML Editor", "Code", "JSON")
_HINTS = {
    "Date": "Such as 2026-03-31.",
    "Datetime": "Such as 2026-03-31 09:00:00.",
    "Time": "Such as 09:00:00.",
}


async def fields_of(ctx: Context) -> list[dict[str, Any]]:
    """The fields of the chosen type that can be filled."""
    doctype = segment(text_of(ctx.parameters, "doctype"))
    found = (await ctx.http.get(f"/api/v2/doctype/{doctype}/meta")).json()["data"]["fields"]
    hidden = ("hidden", "read_only", "is_virtual")
    return [
        field
        for field in found
        if field["fieldtype"] not in _NO_VALUE and not any(field.get(name) for name in hidden)
    ]


def argument_of(field: dict[str, Any]) -> Argument:
    """The input for a field."""
    key, kind, options = field["fieldname"], field["fieldtype"], str(field.get("options") or "")
    label, hints = str(field.get("label") or key), [str(field.get("description") or "")]
    if field.get("reqd"):
        hints.insert(0, "Required in new documents.")
    choices = [line.strip() for line in options.splitlines() if line.strip()]
    if kind == "Check":
        choice = dropdown(key, label, (("1", "Yes"), ("0", "No")), variables=True)
    elif kind == "Select" and choices:
        choice = dropdown(key, label, choices, variables=True)
    else:
        choice = text(key, label, multiline=kind in (*_LONG, *TABLES))
    if kind == "Link":
        hints.append(f"The name of a document of the type {options}.")
    if kind in TABLES:
        hints.append("Rows as a list in JSON.")
    hints.append(_HINTS.get(kind, ""))
    return choice.model_copy(update={"description": " ".join(filter(None, hints))})
