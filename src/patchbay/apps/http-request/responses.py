"""Converts a response to a step's result: which statuses are failures, and how to parse the body."""

import re
from collections.abc import Callable
from urllib.parse import unquote, urlsplit

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.errors import TimedOut, Unreachable
from patchbay.domain.files import file_object
from patchbay.integration import YES_NO, Context, dropdown, text
from patchbay.integration.files import clean_file_name
from patchbay.integration.request import Response
from patchbay.integration.request_actions import ReadData, response_data
from patchbay.integration.values import as_bool, parameter_error, text_of

AUTOMATIC = "auto"
_STATUS = re.compile(r"([1-5]\d\d)(?:-([1-5]\d\d))?|([1-5])xx", re.IGNORECASE)
_SPACED_DASH = re.compile(r"\s*-\s*")
_SEPARATOR = re.compile(r"[,;\s]+")
_ENCODED_NAME = re.compile(r"filename\*\s*=\s*utf-8'[^']*'([^;\s]+)", re.IGNORECASE)
_PLAIN_NAME = re.compile(r'filename\s*=\s*(?:"((?:\\.|[^"\\])*)"|([^;\s]+))', re.IGNORECASE)

RESPONSE_TYPE = dropdown(
    "responseType",
    "Response",
    ((AUTOMATIC, "Automatic"), ("json", "JSON"), ("text", "Text"), ("file", "File")),
    value=AUTOMATIC,
    description="Automatic: JSON is parsed, text stays text, and everything else becomes base64. "
    "File: later steps can attach or upload it.",
    visible_if={"paging": ["none", "", None]},
)
ACCEPTED_STATUSES = text(
    "acceptedStatuses",
    "Don't fail on these statuses",
    placeholder="404, 5xx",
    description="Usually the step fails from status 400 on. Use status to decide what to do instead. "
    "Ranges such as 400-404, and all, are possible.",
)
CONTINUE_IF_UNREACHABLE = dropdown(
    "continueIfUnreachable",
    "Continue without a response",
    YES_NO,
    value=False,
    description="Yes: if the server can't be reached, or doesn't respond in time, the step doesn't fail. "
    "Its status is then 0, and its statusText says why.",
    visible_if={"paging": ["none", "", None]},
)


def set_missing_response(ctx: Context, error: Unreachable | TimedOut) -> None:
    """Set the output of a request without a response. Raises the error if the step doesn't accept that."""
    if not as_bool(ctx.parameters.get("continueIfUnreachable")):
        raise error
    missing: JsonObject = {"data": "", "headers": {}, "status": 0, "statusText": error.happened}
    ctx.action_output = ctx.masker().json(missing)


def accepted_statuses(parameters: JsonObject) -> Callable[[int], bool]:
    """Whether a status doesn't make the step fail. Raises `ValidationFailed` for one that can't be read."""
    entered = _SPACED_DASH.sub("-", text_of(parameters, "acceptedStatuses"))
    ranges = [_status_range(part) for part in _SEPARATOR.split(entered) if part]
    return lambda status: any(first <= status <= last for first, last in ranges)


def _status_range(part: str) -> tuple[int, int]:
    if part.lower() == "all":
        return 100, 599
    found = _STATUS.fullmatch(part)
    if found is None:
        raise parameter_error(
            "acceptedStatuses", f"“{part[:60]}” isn't a status.", "Enter, for example, 404, 5xx, or 400-404."
        )
    first, last, hundreds = found.groups()
    if hundreds:
        return int(hundreds) * 100, int(hundreds) * 100 + 99
    return int(first), int(last or first)


def reader(parameters: JsonObject) -> ReadData:
    """How the body becomes the step's data. Raises `ValidationFailed` for an unknown choice."""
    chosen = text_of(parameters, "responseType") or AUTOMATIC
    if chosen not in _READERS:
        raise parameter_error("responseType", f"“{chosen[:60]}” isn't a type of response.")
    return _READERS[chosen]


def _json(response: Response) -> Json:
    return response.json() if response.content else ""


def _file(response: Response) -> Json:
    return file_object(file_name(response), response.content_type, response.content)


_READERS: dict[str, ReadData] = {
    AUTOMATIC: response_data,
    "json": _json,
    "text": lambda response: response.text,
    "file": _file,
}


def file_name(response: Response) -> str:
    """The name of a download: as the service names it, or by the URL."""
    disposition = response.headers.get("content-disposition", "")
    if encoded := _ENCODED_NAME.search(disposition):
        return clean_file_name(unquote(encoded[1]), "download")
    if plain := _PLAIN_NAME.search(disposition):
        return clean_file_name(re.sub(r"\\(.)", r"\1", plain[1] or "") or plain[2] or "", "download")
    return clean_file_name(unquote(urlsplit(response.url).path.rpartition("/")[2]), "download")
