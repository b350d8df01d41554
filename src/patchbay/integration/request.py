"""Requests and responses for app code. Imports no HTTP library, so apps load quickly."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypedDict
from urllib.parse import quote

from patchbay.domain.base import Json
from patchbay.domain.charsets import decode_leniently
from patchbay.domain.errors import AppError, NotSupported, ThirdPartyError, ValidationFailed
from patchbay.domain.json_limits import MAX_JSON_VALUES, TooManyValues, read_json
from patchbay.integration.urls import query_pairs

Signer = Callable[[str, str, Mapping[str, str], bytes], Mapping[str, str]]
"""Returns headers to add to a request, given its method, URL, headers, and body."""


class RequestOptions(TypedDict, total=False):
    """Options of a request. `json`, `form`, `multipart`, and `content` exclude each other.

    `params` with the value None are left out. `extra` goes to the app's own `before_request` hooks.
    """

    params: Mapping[str, Json] | Sequence[tuple[str, Json]] | None
    headers: Mapping[str, str]
    json: Any
    form: Mapping[str, Any] | None
    multipart: Sequence["FormPart"] | None
    content: bytes | str | None
    basic: tuple[str, str] | None
    extra: Mapping[str, Any]
    also_to: str
    """An address that the app has checked itself, and that the connection's credentials may be sent to."""
    seconds: float
    """The time limit of the whole request, instead of the default."""
    follow_redirects: bool
    """Whether redirects are followed, which is the default."""
    accepts: Callable[[int], bool]
    """Whether a status of 400 or above is a response like any other, rather than an error."""


@dataclass(frozen=True)
class FormPart:
    """A field of a `multipart/form-data` body; a file if it has a file name."""

    name: str
    content: str | bytes = field(repr=False)
    file_name: str | None = None
    content_type: str = ""


@dataclass
class RequestConfig:
    """A request on its way through the `before_request` hooks, which may change any part of it.

    `url` is a path below `base_url`, except that an absolute address was split into origin and path.
    `json`, `form`, `multipart`, `content` exclude each other. `basic` and `digest` are (user, password).
    `sign` returns headers that depend on the whole request. `extra` carries per-call switches from the caller
    to the app's own hooks, for example `{"skip_auth": True}`.
    """

    method: str
    url: str
    base_url: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    params: list[tuple[str, str]] = field(default_factory=list)
    json: Any = None
    form: dict[str, Any] | None = None
    multipart: Sequence[FormPart] | None = None
    content: bytes | str | None = None
    basic: tuple[str, str] | None = None
    digest: tuple[str, str] | None = None
    sign: Signer | None = None
    extra: dict[str, Any] = field(default_factory=dict)


def build_request_config(method: str, url: str, call: RequestOptions) -> RequestConfig:
    """A new configuration for one attempt, which hooks may change without affecting the original call."""
    form = call.get("form")
    return RequestConfig(
        method=method.upper(),
        url=url,
        headers=dict(call.get("headers") or {}),
        params=query_pairs(call.get("params")),
        json=call.get("json"),
        form=dict(form) if form is not None else None,
        multipart=call.get("multipart"),
        content=call.get("content"),
        basic=call.get("basic"),
        extra=dict(call.get("extra") or {}),
    )


@dataclass(frozen=True)
class ParsedJson:
    """A parsed JSON value, which may be None."""

    value: Any


@dataclass(frozen=True)
class Response:
    """A response, read in full. Header names are lower-case; `encoding` is the declared character set."""

    status: int
    reason: str
    headers: dict[str, str]
    content: bytes
    url: str
    app: str = ""
    encoding: str = "utf-8"
    redirected_to: str = ""
    """The host that responded, if a redirect from another host led there."""
    parsed: "ParsedJson | None" = field(default=None, repr=False, compare=False)
    """The parsed JSON; set by `with_parsed_json`."""

    @property
    def text(self) -> str:
        """The body as text; bytes that are invalid in its character set become �."""
        return decode_leniently(self.content, self.encoding)

    @property
    def content_type(self) -> str:
        """The media type without parameters, in lower case; empty if there is none."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    @property
    def looks_like_json(self) -> bool:
        """Whether the body starts like a JSON object, list, or string, regardless of its content type."""
        return self.content[:64].lstrip()[:1] in (b"[", b"{", b'"')

    def json(self) -> Any:
        """The body as JSON. Raises `ThirdPartyError` if it isn't, `NotSupported` for too many values."""
        if self.parsed is not None:
            return self.parsed.value
        try:
            return read_json(self.content, MAX_JSON_VALUES)
        except TooManyValues:
            raise too_many_values_error(self) from None
        except ValueError:
            raise self.not_json_error() from None

    def with_parsed_json(self) -> "Response":
        """A copy with the JSON parsed, for calling in a thread if the response is large."""
        try:
            return replace(self, parsed=ParsedJson(self.json()))
        except AppError:
            return self  # `json` raises it again where it is handled

    def not_json_error(self) -> ThirdPartyError:
        """The error for a response that should be JSON and isn't."""
        return ThirdPartyError(
            app=self.app,
            said="",
            status=self.status,
            meaning="It sent a web page or text instead of JSON.",
            todo="Check that the URL is the service's API, not a sign-in or home page.",
        )


def too_many_values_error(response: Response) -> NotSupported:
    """The error for a response with too many JSON values."""
    return NotSupported(
        f"{response.app or 'The service'} sent more than {MAX_JSON_VALUES:,} values.",
        meaning="Handling a response with so many values would slow down everything else.",
        todo="Request less data at once, for example with a limit, a filter, or pagination.",
    )


def segment(value: Json) -> str:
    """Encode a value as one path segment: `a/b` becomes `a%2Fb`.

    Raises `ValidationFailed` for `.` and `..`: the path would lead elsewhere.
    """
    text = str(value).strip()
    if text in (".", ".."):
        message = f"“{text}” can't be part of an address."
        raise ValidationFailed({"general": [message]}, happened=message)
    return quote(text, safe="")
