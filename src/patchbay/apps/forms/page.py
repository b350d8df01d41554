"""The web pages of a form: plain HTML without scripts, with all values escaped."""

import asyncio
import secrets
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from html import escape

from .form import CACHED_FORMS, PAGE_ID_FIELD, FieldType, Form, FormField

HEADERS = {"content-type": "text/html; charset=utf-8", "cache-control": "no-store"}

_STYLE = """
:root { color-scheme: light dark; --window: #f4f5f8; --surface: #ffffff; --line: #868c9d; --text: #1a1c23;
  --quiet: #505564; --accent: #4353d0; --over: #3846bb; --focus: #3a49c2; --ill: #be2733; }
@media (prefers-color-scheme: dark) { :root { --window: #15161a; --surface: #1b1d22; --line: #757b8b;
  --text: #e9eaee; --quiet: #b3b8c4; --accent: #4f5fdc; --over: #5868e2; --focus: #a5b0ff; --ill: #ff9494; } }
* { box-sizing: border-box; }
html { background: var(--window); }
body { margin: 0; padding: 1.5rem; color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 36rem; margin: 0 auto; padding: 1.75rem 2rem 2rem; background: var(--surface);
  border-radius: 10px; }
h1 { margin: 0 0 .5rem; font-size: 1.5rem; line-height: 1.3; overflow-wrap: anywhere; }
p { margin: .5rem 0 0; white-space: pre-line; overflow-wrap: anywhere; }
.field { margin-top: 1.25rem; }
label { display: block; font-weight: 600; overflow-wrap: anywhere; }
.box { display: flex; gap: .625rem; align-items: baseline; }
.note { color: var(--quiet); font-size: .875rem; font-weight: 400; }
.error { color: var(--ill); font-size: .875rem; font-weight: 600; }
[role="alert"] { margin-top: 1rem; padding: .75rem 1rem; border: 2px solid var(--ill); border-radius: 8px; }
[role="alert"] a { color: var(--ill); }
ul { margin: .25rem 0 0; padding-left: 1.25rem; }
input:not([type="checkbox"]), textarea, select { display: block; width: 100%; margin-top: .25rem;
  padding: .5rem .625rem; font: inherit; color: inherit; background: var(--surface);
  border: 1px solid var(--line); border-radius: 6px; }
textarea { min-height: 7rem; resize: vertical; }
[aria-invalid="true"] { border-color: var(--ill) !important; }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
button { margin-top: 1.75rem; padding: .625rem 1.5rem; font: inherit; font-weight: 600; color: #ffffff;
  background: var(--accent); border: 0; border-radius: 8px; cursor: pointer; }
button:hover { background: var(--over); }
"""
# No form-action: it would also apply to the address that the response redirects to.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'"
_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width"><meta name="robots" content="noindex">
<title>{tab_title}</title><style>{style}</style></head>
<body><main><h1>{title}</h1>{body}</main></body></html>
"""
_INPUT_TYPES = {
    FieldType.EMAIL: "email",
    FieldType.PHONE: "tel",
    FieldType.DATE: "date",
    FieldType.TIME: "time",
    FieldType.DATE_TIME: "datetime-local",
    FieldType.FILE: "file",
}
_MAX_OPTIONS = 1_000
_MAX_CHARACTERS = 100_000
"""Max. options, and characters of values, of a page that is built on the event loop."""
_LARGE_PAGES = ThreadPoolExecutor(1, thread_name_prefix="form-pages")
"""Not the threads that everything else uses: visitors decide how many pages are built."""
_AUTOCOMPLETE = {FieldType.EMAIL: "email", FieldType.PHONE: "tel"}


async def form_page(
    form: Form, page_id: str, entered: Mapping[str, str], errors: Mapping[str, str] = {}
) -> str:
    """The form with these values and error messages. `page_id` is sent with the submission.

    Large pages are built in a thread, one at a time.
    """
    if form.number_of_options <= _MAX_OPTIONS and sum(map(len, entered.values())) <= _MAX_CHARACTERS:
        return _cached_page(form, page_id, entered, errors)
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(_LARGE_PAGES, _cached_page, form, page_id, entered, errors)


def _cached_page(form: Form, page_id: str, entered: Mapping[str, str], errors: Mapping[str, str]) -> str:
    if entered or errors:
        return _form_page(form, page_id, entered, errors)
    before, after = _empty_page(form)
    return f"{before}{page_id}{after}"


@lru_cache(CACHED_FORMS)
def _empty_page(form: Form) -> tuple[str, str]:
    """The form without values: the parts before and after the page ID."""
    mark = secrets.token_hex(16)
    before, _, after = _form_page(form, mark, {}, {}).partition(mark)
    return before, after


def _form_page(form: Form, page_id: str, entered: Mapping[str, str], errors: Mapping[str, str]) -> str:
    kind = ' enctype="multipart/form-data"' if form.has_files else ""
    options = _options(form)
    fields = "".join(
        _field(item, entered.get(item.key, ""), errors.get(item.key, ""), options.get(item.key, ""))
        for item in form.fields
    )
    body = (
        f"{_paragraph(form.description)}{_summary(form, errors)}"
        f'<form method="post" accept-charset="utf-8"{kind} novalidate>'
        f'<input type="hidden" name="{PAGE_ID_FIELD}" value="{escape(page_id)}">{fields}'
        f'<button type="submit">{escape(form.submit_label)}</button></form>'
    )
    return _page(form.title if not errors else f"Error: {form.title}", form.title, body)


def message_page(title: str, *paragraphs: str) -> str:
    """A page with only a message."""
    return _page(title, title, "".join(map(_paragraph, paragraphs)))


def _page(tab_title: str, title: str, body: str) -> str:
    return _PAGE.format(
        policy=_POLICY, tab_title=escape(tab_title), title=escape(title), style=_STYLE, body=body
    )


def _paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>" if text else ""


def _summary(form: Form, errors: Mapping[str, str]) -> str:
    """The list of errors, which screen readers announce, with links to the fields."""
    if not errors:
        return ""
    items = "".join(
        f'<li><a href="#f-{escape(item.key)}">{escape(item.label)}</a>: {escape(errors[item.key])}</li>'
        for item in form.fields
        if item.key in errors
    )
    return f'<div role="alert"><b>Please correct the following:</b><ul>{items}</ul></div>'


@lru_cache(CACHED_FORMS)
def _options(form: Form) -> dict[str, str]:
    """The options of each dropdown, by field key."""
    return {item.key: "".join(map(_option, item.options)) for item in form.fields if item.options}


def _option(option: str, attributes: str = "") -> str:
    return f"<option{attributes}>{escape(option)}</option>"


def _field(item: FormField, value: str, error: str, options: str) -> str:
    field_id = f"f-{escape(item.key)}"
    described = [f"{field_id}-help"] if item.help else []
    described += [f"{field_id}-error"] if error else []
    attributes = f'id="{field_id}" name="{escape(item.key)}"'
    attributes += " required" if item.is_required else ""
    attributes += f' aria-describedby="{" ".join(described)}"' if described else ""
    attributes += ' aria-invalid="true"' if error else ""
    optional = "" if item.is_required else ' <span class="note">(optional)</span>'
    label = f'<label for="{field_id}">{escape(item.label)}{optional}</label>'
    notes = f'<div class="note" id="{field_id}-help">{escape(item.help)}</div>' if item.help else ""
    notes += f'<div class="error" id="{field_id}-error">{escape(error)}</div>' if error else ""
    if item.type is FieldType.CHECKBOX:
        checked = " checked" if value else ""
        control = f'<input type="checkbox" value="true" {attributes}{checked}>'
        return f'<div class="field"><div class="box">{control}{label}</div>{notes}</div>'
    return f'<div class="field">{label}{notes}{_control(item, attributes, value, options)}</div>'


def _control(item: FormField, attributes: str, value: str, options: str) -> str:
    if item.type is FieldType.MULTILINE:
        # HTML drops a line break right after the tag.
        return f'<textarea {attributes} maxlength="{item.max_length}">\n{escape(value)}</textarea>'
    if item.type is FieldType.DROPDOWN:
        options = options.replace(_option(value), _option(value, " selected"), 1)
        return f'<select {attributes}><option value="">Choose…</option>{options}</select>'
    if item.type is FieldType.FILE:
        return f'<input type="file" {attributes}>'
    if item.type is FieldType.NUMBER:
        attributes += ' inputmode="decimal"'
    if item.type in _AUTOCOMPLETE:
        attributes += f' autocomplete="{_AUTOCOMPLETE[item.type]}"'
    kind = _INPUT_TYPES.get(item.type, "text")
    return f'<input type="{kind}" {attributes} maxlength="{item.max_length}" value="{escape(value)}">'
