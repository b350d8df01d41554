"""Form definitions: reads them from the parameters of the trigger, and finds the form of a flow."""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache
from ipaddress import IPv6Address
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import SplitResult, quote, urlsplit

from patchbay.domain.base import AppKey, FlowId, JsonObject
from patchbay.domain.errors import NotFound, ValidationFailed
from patchbay.domain.row_output import MAX_KEY_LENGTH, key_from_label
from patchbay.integration.values import as_bool, parameter_error, text_of

if TYPE_CHECKING:
    from patchbay.integration import Context

APP_KEY = AppKey("forms")
TRIGGER_KEY = "newFormSubmission"
OWN_FORM = "own"
"""Value of `formId` for the form that is defined in the trigger itself."""

MAX_FIELDS = 100
MAX_OPTIONS = 500
MAX_TEXT_LENGTH = 1_000
MAX_MULTILINE_LENGTH = 20_000
MAX_SHORT_LENGTH = 300
"""Max. length of numbers, dates, and other values that aren't free text."""
PAGE_ID_FIELD = "_submission"
"""A hidden field with a random ID, so that sending the same page twice counts as one submission."""
_MAX_URL_LENGTH = 2000
_KEY = re.compile(r"[A-Za-z0-9_-]+")
_NETWORK_LOCATION = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^\[\]@:]+)(:[0-9]*)?")
_HOST_NAME = re.compile(r"[A-Za-z0-9._-]+")
_BYTES_PER_CHARACTER = 12
"""The longest UTF-8 character, URL-encoded."""
_BYTES_PER_FIELD = 1024
"""A key, and the headers and boundary of a multipart form."""
_BYTES_FOR_OTHER_FIELDS = 16 * 1024
CACHED_FORMS = 16
_URL_CHARACTERS = "!#$%&'()*+,/:;=?@[]~"


class FieldType(StrEnum):
    """What can be entered in a field."""

    TEXT = "text"
    MULTILINE = "multiline"
    EMAIL = "email"
    PHONE = "phone"
    NUMBER = "number"
    DATE = "date"
    TIME = "time"
    DATE_TIME = "dateTime"
    DROPDOWN = "dropdown"
    CHECKBOX = "checkbox"
    FILE = "file"


_FREE_TEXTS = (FieldType.TEXT, FieldType.EMAIL, FieldType.PHONE)


@dataclass(frozen=True)
class FormField:
    """One field of a form. `key` is its name in the output of the trigger."""

    key: str
    label: str
    type: FieldType
    is_required: bool
    help: str = ""
    options: tuple[str, ...] = ()
    max_length: int = MAX_TEXT_LENGTH
    """Max. characters of a value."""


@dataclass(frozen=True, eq=False)
class Form:
    """A form, as it is shown to visitors. Compared by identity, so that caches find it fast."""

    title: str
    description: str
    fields: tuple[FormField, ...]
    submit_label: str
    thanks: str

    @property
    def has_files(self) -> bool:
        """Whether files can be attached."""
        return any(field.type is FieldType.FILE for field in self.fields)

    @cached_property
    def max_body_bytes(self) -> int | None:
        """Max. size of a submission; None for a form with files, which has only the limit of webhooks."""
        if self.has_files:
            return None
        longest = sum(field.max_length for field in self.fields)
        return longest * _BYTES_PER_CHARACTER + len(self.fields) * _BYTES_PER_FIELD + _BYTES_FOR_OTHER_FIELDS

    @cached_property
    def number_of_options(self) -> int:
        """How many options its dropdowns have together."""
        return sum(len(field.options) for field in self.fields)


def title_of(parameters: JsonObject) -> str:
    """The title of the form that is defined by these parameters of a trigger."""
    return text_of(parameters, "title").strip()


async def find_form(ctx: "Context") -> Form:
    """The form of the flow: its own, or that of another flow of the same owner.

    Raises `NotFound` if that flow isn't published any longer, and `ValidationFailed` for an invalid form.
    """
    chosen = text_of(ctx.parameters, "formId").strip()
    if chosen == OWN_FORM:
        return read_form(ctx.parameters)
    found = await ctx.flows.published_steps(APP_KEY, TRIGGER_KEY, FlowId(chosen)) if ctx.flows else ()
    own = next((step for step in found if step.parameters.get("formId") == OWN_FORM), None)
    if own is None:
        raise NotFound(
            "This form doesn't exist.",
            meaning="The flow that defines it was unpublished or deleted, or the form wasn't imported.",
        )
    return read_form(own.parameters)


def read_form(parameters: JsonObject) -> Form:
    """The form that is defined by these parameters. Raises `ValidationFailed` if it is invalid.

    Forms that were used recently are cached.
    """
    rows = parameters.get("fields")
    given = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    return _read_texts(
        _texts(parameters, _PARAMETERS),
        tuple(_texts(row, _FIELD_PARAMETERS) for row in given[: MAX_FIELDS + 1]),
    )


_PARAMETERS = ("title", "description", "submitLabel", "thanks")
_FIELD_PARAMETERS = ("label", "key", "type", "required", "help", "options")
_Texts: TypeAlias = tuple[tuple[str, str], ...]


def _texts(parameters: JsonObject, keys: tuple[str, ...]) -> _Texts:
    return tuple((key, text_of(parameters, key)) for key in keys)


@lru_cache(CACHED_FORMS)
def _read_texts(texts: _Texts, given: tuple[_Texts, ...]) -> Form:
    parameters: JsonObject = dict(texts)
    if not given:
        raise parameter_error("fields", "The form has no fields.", "Add a field.")
    if len(given) > MAX_FIELDS:
        raise parameter_error("fields", f"A form can have at most {MAX_FIELDS} fields.", "Remove some.")
    fields = tuple(_read_field(dict(row), number) for number, row in enumerate(given, 1))
    keys = [field.key for field in fields]
    if repeated := next((key for key in keys if keys.count(key) > 1), None):
        raise parameter_error(
            "fields", f"Two fields have the key “{repeated}”.", "Enter another key in one of them."
        )
    return Form(
        title=title_of(parameters) or "Form",
        description=text_of(parameters, "description").strip(),
        fields=fields,
        submit_label=text_of(parameters, "submitLabel").strip() or "Submit",
        thanks=text_of(parameters, "thanks").strip() or "Thank you. Your response was sent.",
    )


def _read_field(row: JsonObject, number: int) -> FormField:
    label = text_of(row, "label").strip()
    if not label:
        raise parameter_error("fields", f"Field {number} has no label.", "Enter a label.")
    key = text_of(row, "key").strip() or key_from_label(label, number)
    if not _KEY.fullmatch(key) or len(key) > MAX_KEY_LENGTH:
        raise parameter_error(
            "fields",
            f"“{key[:MAX_KEY_LENGTH]}” isn't a valid key.",
            f"Use up to {MAX_KEY_LENGTH} letters, digits, hyphens, and underscores, without spaces.",
        )
    if key == PAGE_ID_FIELD:
        raise parameter_error("fields", f"The key “{key}” is reserved.", "Enter another key.")
    try:
        kind = FieldType(text_of(row, "type") or FieldType.TEXT)
    except ValueError:
        raise parameter_error(
            "fields", f"“{label}” has an unknown type.", "Choose one from the list."
        ) from None
    options = tuple(dict.fromkeys(filter(None, map(str.strip, text_of(row, "options").splitlines()))))
    if kind is FieldType.DROPDOWN and not 0 < len(options) <= MAX_OPTIONS:
        raise parameter_error(
            "fields", f"“{label}” needs between 1 and {MAX_OPTIONS} options.", "Enter one option per line."
        )
    return FormField(
        key=key,
        label=label,
        type=kind,
        is_required=as_bool(row.get("required")),
        help=text_of(row, "help").strip(),
        options=options if kind is FieldType.DROPDOWN else (),
        max_length=_max_length(kind, options),
    )


def _max_length(kind: FieldType, options: tuple[str, ...]) -> int:
    if kind is FieldType.DROPDOWN:
        return max(map(len, options))
    if kind is FieldType.MULTILINE:
        return MAX_MULTILINE_LENGTH
    return MAX_TEXT_LENGTH if kind in _FREE_TEXTS else MAX_SHORT_LENGTH


def redirect_url(parameters: JsonObject) -> str:
    """The address to show after a submission, encoded for a header; empty if the form has none.

    Raises `ValidationFailed` if it isn't a web address.
    """
    if as_bool(parameters.get("workSynchronously")):
        return ""
    url = text_of(parameters, "asyncRedirectUrl").strip()
    if not url:
        return ""
    try:
        parts = urlsplit(url)
        host = _host(parts)
        is_valid = parts.scheme in ("http", "https") and bool(host) and len(url) <= _MAX_URL_LENGTH
        is_valid = is_valid and (parts.port is None or parts.port > 0)
    except ValueError:  # also a host name that can't be encoded
        is_valid = False
    if not is_valid:
        raise _redirect_error()
    port = f":{parts.port}" if parts.port else ""
    rest = parts._replace(scheme="", netloc="").geturl()
    return f"{parts.scheme}://{host}{port}{quote(rest, safe=_URL_CHARACTERS)}"


def _host(parts: SplitResult) -> str:
    """The host as in an address; empty if it is neither a host name nor an IP address."""
    host = parts.hostname or ""
    if not _NETWORK_LOCATION.fullmatch(parts.netloc):  # for example, it has a user name
        return ""
    if ":" in host:
        return f"[{IPv6Address(host)}]"
    name = host.encode("idna").decode()
    return name if _HOST_NAME.fullmatch(name) else ""


def _redirect_error() -> ValidationFailed:
    return parameter_error(
        "asyncRedirectUrl",
        "The address to show after the submission isn't a web address.",
        "Enter an address that begins with https:// or http://.",
    )
