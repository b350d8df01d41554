"""Requests described by a line such as `POST /repos/{repo}/issues`, a query, and a body."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.fields import is_empty
from patchbay.integration.context import Context
from patchbay.integration.request import RequestOptions, Response
from patchbay.integration.templates import Values, fill_object, fill_path, fill_text

Line = str | Callable[[JsonObject], str]
"""Method and path, `GET` if there is only a path. A function of the parameters chooses between several."""
Template = Mapping[str, Json] | Callable[[JsonObject], Mapping[str, Json]]
"""An object with placeholders, or a function of the parameters that returns the object to send."""
_METHOD = re.compile(r"(GET|HEAD|POST|PUT|PATCH|DELETE) +(.+)")


def split_line(line: str) -> tuple[str, str]:
    """Method and path template of a line."""
    match = _METHOD.fullmatch(line)
    return (match[1], match[2]) if match else ("GET", line)


def values_of(ctx: Context, more: Mapping[str, Json] | None = None) -> Values:
    """What placeholders can name in a call: arguments, `auth`, and what a builder adds."""
    return {**ctx.parameters, **(more or {}), "auth": ctx.auth.data}


@dataclass(frozen=True)
class PreparedRequest:
    """A request whose placeholders are replaced. `url` is a path or an absolute address."""

    method: str
    url: str
    query: JsonObject = field(default_factory=dict)
    body: JsonObject | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    form: bool = False
    seconds: float = 0
    """The time limit of the whole request; 0 for the default."""

    def with_header(self, name: str, value: str) -> "PreparedRequest":
        """A copy with one more header."""
        return replace(self, headers={**self.headers, name: value})

    def moved_to(self, link: str) -> "PreparedRequest":
        """A copy for another address of the service, which has its own query."""
        return replace(self, url=link, query={})

    def contains(self, text: str) -> bool:
        """Whether the address, the query, the body, or a header contains this text (letters and digits)."""
        return text in json.dumps([self.url, self.query, self.body, dict(self.headers)])

    async def send(self, ctx: Context) -> Response:
        """Send it with the connection's credentials."""
        call: RequestOptions = {"params": self.query, "headers": self.headers}
        if self.body is not None and self.form:
            call["form"] = self.body
        elif self.body is not None:
            call["json"] = self.body
        if self.seconds:
            call["seconds"] = self.seconds
        return await ctx.http.request(self.method, self.url, **call)


def prepare(
    line: Line,
    values: Values,
    *,
    query: Template | None = None,
    body: Template | None = None,
    headers: Mapping[str, str] | None = None,
    form: bool = False,
) -> PreparedRequest:
    """Replace the placeholders of a request. Raises `ValidationFailed` for values that don't fit."""
    parameters = {key: value for key, value in values.items() if key != "auth"}
    method, path = split_line(line(parameters) if callable(line) else line)
    return PreparedRequest(
        method,
        fill_path(path, values),
        _fill(query, values, parameters) or {},
        _fill(body, values, parameters),
        {name: fill_text(template, values) for name, template in (headers or {}).items()},
        form,
    )


def _fill(template: Template | None, values: Values, parameters: JsonObject) -> JsonObject | None:
    """The object to send. What a function returns can hold entered texts, so it isn't a template."""
    if template is None:
        return None
    if callable(template):
        return {key: value for key, value in template(parameters).items() if not is_empty(value)}
    return fill_object(template, values)
