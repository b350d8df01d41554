"""Requests to the interface that cost a careless service seconds: up to the size it takes, odd in shape."""

import json
from base64 import urlsafe_b64encode
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from tests.support import flow_files as files

_FULL = 1_000_000
"""A little less than bodies of the interface may have."""


@dataclass(frozen=True)
class Targets:
    """Ids of what the requests are aimed at."""

    user: str
    live: str
    """A published flow that starts with a webhook."""
    draft: str
    step: str
    """An action of the draft."""


@dataclass(frozen=True)
class Request:
    """`content` is sent as JSON, unless `kind` says otherwise."""

    method: str
    path: str
    content: bytes = b""
    kind: str = "application/json"


Bomb = Callable[[Targets], Request]

_LISTS = "[" + "[]," * 330_000 + "[]]"
_OBJECTS = "[" + "{}," * 330_000 + "{}]"
_WIDE = json.dumps({f"k{number}": number for number in range(60_000)})
_LONG_NUMBERS = "[" + ("9" * 4_000 + ",") * 220 + "1]"
_CONDITION = {"key": "a", "operator": "equal", "value": "b"}


def _post(path: str, content: Any = None) -> Bomb:
    return _request("POST", path, content)


def _patch(path: str, content: Any) -> Bomb:
    return _request("PATCH", path, content)


def _get(path: str) -> Bomb:
    return lambda at: Request("GET", path.format(at=at))


def _request(method: str, path: str, content: Any) -> Bomb:
    body = content if isinstance(content, str) else "" if content is None else json.dumps(content)
    return lambda at: Request(method, path.format(at=at), body.encode())


def _parameters(text: str) -> Bomb:
    """The step of the draft with these parameters, in JSON."""
    return _patch("/v1/steps/{at.step}", '{"parameters": ' + text + "}")


def _input(text: str) -> Bomb:
    return _parameters(json.dumps({"transform": "trimWhitespace", "input": text}))


def _nested(levels: int) -> str:
    return '{"a":' * levels + "1" + "}" * levels


def _import(steps: int) -> Bomb:
    return _post("/v1/flows/import", files.flow("Long", files.catch(), *[files.trimmed("x")] * steps))


BODIES: dict[str, Bomb] = {
    "150,000 objects in each other": _post("/v1/flows", _nested(150_000)),
    "500,000 lists in each other": _post("/v1/flows", "[" * (_FULL // 2) + "]" * (_FULL // 2)),
    "60,000 unknown fields": _post("/v1/flows", _WIDE),
    "330,000 empty lists as a body": _post("/v1/flows", _LISTS),
    "a form of many fields": lambda at: Request(
        "POST", "/v1/flows", b"a=b&" * 240_000, "application/x-www-form-urlencoded"
    ),
    "a name of 900,000 letters": _patch("/v1/flows/{at.draft}", {"name": "n" * 900_000}),
    "a name of blanks": _patch("/v1/flows/{at.draft}", {"name": " " * 900_000 + "x"}),
    "a name of combining marks": _patch("/v1/flows/{at.draft}", {"name": "a" + "\u0301" * 150_000}),
    "a time zone of 450,000 parts": _patch("/v1/flows/{at.live}/settings", {"timeZone": "a/" * 450_000}),
    "activity of 25,000 flows": lambda at: Request(
        "POST", "/v1/flows/activity", json.dumps({"flowIds": [at.live] * 25_000}).encode()
    ),
    "a template with a long name": lambda at: Request(
        "POST", "/v1/templates", json.dumps({"flowId": at.draft, "name": "n" * 900_000}).encode()
    ),
    "an address of many labels": _patch("/v1/service", {"publicAddress": "http://" + "a." * 450_000 + "b"}),
    "an email address of quotes": _post(
        "/v1/user-invitations", {"fullName": "n", "email": '"' * 500_000 + "@b.c", "roleId": "editor"}
    ),
    "an email address of many labels": _post(
        "/v1/user-invitations", {"fullName": "n", "email": "a@" + "b." * 450_000 + "c", "roleId": "editor"}
    ),
    "limits for 20,000 apps": _patch(
        "/v1/engine", {"appLimits": {f"a{number}": {"calls": 1} for number in range(20_000)}}
    ),
    "50,000 credentials": _post(
        "/v1/connections", {"appKey": "smtp", "formattedData": {f"k{n}": "v" for n in range(50_000)}}
    ),
    "credentials of 900,000 letters": _post(
        "/v1/connections",
        {"appKey": "smtp", "formattedData": {"screenName": "s", "host": "h" * 900_000, "port": "9" * 5_000}},
    ),
    "an app key of 900,000 letters": _post("/v1/connections", {"appKey": "x" * 900_000, "formattedData": {}}),
    "retries of a long note": _post("/v1/execution-retries", {"note": "%" * 900_000}),
    "80,000 empty steps": _post("/v1/flows/import", {"id": "f", "name": "f", "steps": [{}] * 80_000}),
    "9,000 empty steps": _post("/v1/flows/import", {"id": "f", "name": "f", "steps": [{}] * 9_000}),
    "activity of 90,000 numbers": _post("/v1/flows/activity", {"flowIds": [1] * 90_000}),
    "90,000 allowed addresses": _patch("/v1/service", {"allowedAddresses": [1] * 90_000}),
    "3,600 steps": _import(3_600),
    "200 steps": _import(199),
}

PARAMETERS: dict[str, Bomb] = {
    "330,000 empty lists": _parameters('{"a":' + _LISTS + "}"),
    "330,000 empty objects": _parameters('{"a":' + _OBJECTS + "}"),
    "60,000 parameters": _parameters(_WIDE),
    "220 numbers of 4,000 digits": _parameters('{"a":' + _LONG_NUMBERS + "}"),
    "a number of 900,000 digits": _parameters('{"a":' + "9" * 900_000 + "}"),
    "a fraction of 900,000 digits": _parameters('{"a":0.' + "9" * 900_000 + "}"),
    "150,000 escapes": _parameters('{"a":"' + "\\u0000" * 150_000 + '"}'),
    "99 levels": _parameters(_nested(99)),
    "900 levels": _parameters(_nested(900)),
    "18,000 references": _input("{{step.00000000-0000-4000-8000-000000000000.a}}" * 18_000),
    "20,000 references as names": _parameters(
        json.dumps({f"{{{{step.{n}.a}}}}": f"{{{{step.{n}.b}}}}" for n in range(20_000)})
    ),
    "450,000 open braces": _input("{{" * 450_000),
    "130,000 open references": _input("{{step." * 130_000),
    "a reference of blanks": _input("{{step." + " " * 900_000),
    "a reference of 450,000 parts": _input("{{step.a" + ".a" * 450_000),
    "9,000 conditions": _parameters(json.dumps({"or": [{"and": [_CONDITION] * 9_000}]})),
    "9,000 groups of conditions": _parameters(json.dumps({"or": [{"and": [_CONDITION]}] * 9_000})),
    "dynamic data with 60,000 parameters": _post(
        "/v1/steps/{at.step}/dynamic-data", '{"dynamicDataKey": "x", "parameters": ' + _WIDE + "}"
    ),
}
"""Each is stored where it is legal; `AFTER` follow every one of them."""

AFTER: dict[str, Bomb] = {
    "read": _get("/v1/flows/{at.draft}"),
    "list": _get("/v1/flows?limit=100"),
    "test": _post("/v1/steps/{at.step}/test", "{}"),
    "publish": _patch("/v1/flows/{at.draft}/status", {"active": True}),
    "duplicate": _post("/v1/flows/{at.draft}/duplicate"),
    "export": _post("/v1/flows/{at.draft}/export"),
    "template": lambda at: Request(
        "POST", "/v1/templates", json.dumps({"flowId": at.draft, "name": "Copy"}).encode()
    ),
}

RUNS: dict[str, Bomb] = {
    f"run with {name}": _post("/v1/flows/{at.live}/run", '{"item": ' + text + "}")
    for name, text in (
        ("330,000 empty lists", _LISTS),
        ("330,000 empty objects", _OBJECTS),
        ("60,000 fields", _WIDE),
        ("long numbers", _LONG_NUMBERS),
        ("90 levels", _nested(90)),
    )
}

CURSORS = {
    "an infinite number": b'[1,1e999,"x"]',
    "a time beyond 64 bits": b'[1,%d,"x"]' % 2**70,
    "a lone surrogate": b'[1,1,"\\ud800"]',
    "5,000 lists in each other": b"[" * 5_000,
}
"""Texts of cursors, before Base64."""

READS: dict[str, Bomb] = {
    "templates": _get("/v1/templates"),
    "executions with much data": _get("/v1/executions?limit=100"),
    "a page far away": _get("/v1/executions?limit=100&page=999999999999"),
    "a histogram of all times": _get(f"/v1/executions/histogram?start=0&end={2**53}&bars=400"),
    "counts of all times": _get(f"/v1/executions/counts?startDateTime=1&endDateTime={2**53}"),
    "a histogram of one millisecond": _get("/v1/executions/histogram?start=1&end=2&bars=400"),
    "a search for wildcards": _get("/v1/executions/search?text=" + "%25_" * 100),
    "a search in much data": _get("/v1/executions/search?text=" + "]" * 400),
    "executions named %": _get("/v1/executions?name=" + "%25" * 2_000),
    "flows named %a": _get("/v1/flows?name=" + "%25a" * 1_500),
    **{
        f"flows after {name}": _get("/v1/flows?cursor=" + quote(urlsafe_b64encode(text)))
        for name, text in CURSORS.items()
    },
    "the audit log": _get("/v1/audit?limit=100"),
    "all apps": _get("/v1/apps"),
    "an icon": _get("/apps/formatter/assets/icon.svg"),
    "the description": _get("/openapi.json"),
    "the numbers": _get("/metrics"),
}
