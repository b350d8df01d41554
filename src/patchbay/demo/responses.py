"""The services of the demo: which request gets which response, from the files in `resources/demo/responses`.

A file has the address of a service (`base`), optionally what it responds to invalid credentials
(`rejection`), and its `responses` by request line: `GET /path` below the address, or `GET https://…`.
`{name}` in a path matches any text, and `?name=pattern` a value of the query or the body. If several lines
match, the one with the most conditions counts, then the most specific one.

A response is JSON as in `samples`, or an object with `$status`, `$headers`, either `$json` or `$text`, and
`$seconds` if it takes long.
`{"$items": …}` is a list with an item for each of the newest numbers (`timing.slots`), newest first unless
`$oldest_first` is true, and `{"$slot": number, "$item": …}` the item with a number.
"""

import json
import random
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from urllib.parse import parse_qsl, unquote

import httpx

from patchbay.demo.blueprint import resources_folder
from patchbay.demo.samples import Occasion, SampleRenderer, find_given
from patchbay.demo.timing import SLOT_MS, slots
from patchbay.domain.base import EpochMs, Json, JsonObject

DEFAULT_SECONDS = 0.25
UNAUTHORIZED = 401
_MAX_SLOT_DIGITS = 8
"""Enough for the next 4,000 years."""
_NAME = re.compile(r"\{(\w+)\}")
_DEFAULT_REJECTION: JsonObject = {
    "$status": UNAUTHORIZED,
    "$json": {"message": "Invalid credentials.", "error": "Unauthorized", "http_code": UNAUTHORIZED},
}


@dataclass(frozen=True)
class Route:
    """A request line with its response."""

    method: str
    address: re.Pattern[str]
    conditions: tuple[tuple[str, str], ...]
    literal_length: int
    response: Json
    rejection: Json
    """The response of its service to invalid credentials."""

    @property
    def seconds(self) -> float:
        """How long the service takes to respond."""
        seconds = self.response.get("$seconds") if isinstance(self.response, dict) else None
        return seconds if isinstance(seconds, (int, float)) else DEFAULT_SECONDS

    def match(self, method: str, address: str, given: JsonObject) -> JsonObject | None:
        """The parts of the path by name; None if the request is another one."""
        found = self.address.fullmatch(address) if method == self.method else None
        if found is None:
            return None
        matches = all(fnmatchcase(_text_given(path, given), pattern) for path, pattern in self.conditions)
        return {name: unquote(value) for name, value in found.groupdict().items()} if matches else None


def find_route(method: str, url: httpx.URL, given: JsonObject) -> tuple[Route, JsonObject] | None:
    """The best route for a request, and the parts of its path. `given` are its query and its body."""
    address = f"{url.scheme}://{url.netloc.decode('ascii')}{url.raw_path.decode('ascii').partition('?')[0]}"
    found = [
        (route, parts) for route in _routes() if (parts := route.match(method, address, given)) is not None
    ]
    return max(found, key=lambda item: (len(item[0].conditions), item[0].literal_length), default=None)


def read_request(request: httpx.Request) -> JsonObject:
    """The query and the body of a request whose body has been read, by name."""
    given: JsonObject = dict(request.url.params)
    content_type = request.headers.get("content-type", "")
    if content_type.startswith("application/x-www-form-urlencoded"):
        given |= parse_qsl(request.content.decode("utf-8", "replace"), keep_blank_values=True)
    elif "json" in content_type:
        with suppress(ValueError, RecursionError):
            body = json.loads(request.content)
            given |= body if isinstance(body, dict) else {}
    return given


def build_response(response: Json, given: JsonObject, now: EpochMs, name: str) -> httpx.Response:
    """The response to a request. `name` identifies its route, so that its items stay the same."""
    content = response if isinstance(response, dict) and _is_envelope(response) else {"$json": response}
    status, headers = content.get("$status", 200), content.get("$headers", {})
    assert isinstance(status, int)
    assert isinstance(headers, dict)
    texts = {key: str(value) for key, value in headers.items()}
    renderer = _ResponseRenderer(now, given, name)
    if "$text" in content:
        return httpx.Response(status, headers=texts, text=renderer.text(content["$text"]))
    if "$json" in content:
        return httpx.Response(status, headers=texts, json=renderer.json(content["$json"]))
    return httpx.Response(status, headers=texts)


def _is_envelope(response: JsonObject) -> bool:
    return not response.keys().isdisjoint(("$status", "$headers", "$json", "$text"))


class _ResponseRenderer:
    """Renders one response, with lists of the newest items."""

    def __init__(self, now: EpochMs, given: JsonObject, name: str) -> None:
        self._now, self._given, self._name = now, given, name
        numbers = random.Random(now)  # noqa: S311  # sample data
        self._once = SampleRenderer(numbers, Occasion(now, now))

    def text(self, template: Json) -> str:
        """The text of a template, of which lists are joined."""
        rendered = self.json(template)
        return "".join(map(str, _flattened(rendered)))

    def json(self, template: Json) -> Json:
        """The JSON of a template."""
        if isinstance(template, dict) and "$items" in template:
            found = [self._item(template["$items"], slot) for slot in slots(self._now)]
            return found[::-1] if template.get("$oldest_first") else [*found]
        if isinstance(template, dict) and "$item" in template:
            number = str(self._once.render(template["$slot"], self._given))
            is_slot = number.isdecimal() and len(number) <= _MAX_SLOT_DIGITS
            return self._item(template["$item"], int(number) if is_slot else slots(self._now)[0])
        if isinstance(template, dict) and "$sample" not in template and "$base64" not in template:
            return {key: self.json(value) for key, value in template.items()}
        if isinstance(template, list):
            return [self.json(value) for value in template]
        return self._once.render(template, self._given)

    def _item(self, template: Json, slot: int) -> Json:
        """The item of a slot, which is always the same."""
        numbers = random.Random(f"{self._name}.{slot}")  # noqa: S311  # sample data
        return SampleRenderer(numbers, Occasion(slot, slot * SLOT_MS)).render(template, self._given)


def _flattened(value: Json) -> Iterator[Json]:
    if isinstance(value, list):
        for item in value:
            yield from _flattened(item)
    else:
        yield value


def _text_given(path: str, given: JsonObject) -> str:
    value = find_given(path, given)
    return "" if value is None else str(value)


@cache
def _routes() -> tuple[Route, ...]:
    """The routes of all services."""
    files = sorted((resources_folder() / "demo" / "responses").glob("*.json"))
    return tuple(route for file in files for route in _routes_of(json.loads(file.read_text("utf-8"))))


def _routes_of(described: JsonObject) -> Iterator[Route]:
    responses, rejection = described["responses"], described.get("rejection", _DEFAULT_REJECTION)
    assert isinstance(responses, dict)
    for line, response in responses.items():
        method, _, target = line.partition(" ")
        path, _, query = target.partition("?")
        address = path if path.startswith("https://") else f"{described['base']}{path}"
        literals = _NAME.split(address)[::2]
        names = _NAME.findall(address)
        groups = [*(f"(?P<{name}>[^/]+)" for name in names), ""]
        pattern = "".join(re.escape(text) + group for text, group in zip(literals, groups, strict=True))
        pairs = (pair.partition("=") for pair in query.split("&") if pair)
        conditions = tuple((name, value) for name, _, value in pairs)
        yield Route(method, re.compile(pattern), conditions, sum(map(len, literals)), response, rejection)
