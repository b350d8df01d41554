"""One-purpose flows in the form in which Automatisch exports them, with the results it gives.

The facts are those of its own libraries (lodash, Luxon, accounting, libphonenumber-js). `note` is a piece of
what importing says where the result differs on purpose.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.support import flow_files as files

Wanted = Any | Callable[[Any], bool]
VALUE = "{{step.#1.body.value}}"


@dataclass(frozen=True)
class Case:
    """A flow of webhook → `step`, called with `body`; `wanted` is the step's output, or a test of it."""

    step: files.Document
    wanted: Wanted
    body: Any = None
    note: str = ""

    def holds(self, output: Any) -> bool:
        return self.wanted(output) if callable(self.wanted) else bool(output == self.wanted)


def exported(name: str, *steps: files.Document) -> files.Document:
    """As Automatisch writes it: no settings, no connections, and the address of the webhook."""
    flow = files.flow(name, *steps)
    for one in flow["steps"]:
        one["name"] = None
        is_hook = one["appKey"] == "webhook" and one["type"] == "trigger"
        one["webhookPath"] = f"/webhooks/flows/{flow['id']}" if is_hook else None
    return flow


def _formatted(
    action: str, transform: str, wanted: Wanted, value: Any = None, note: str = "", **more: Any
) -> Case:
    given = {"transform": transform, **more}
    if value is not None:
        given.setdefault("input", VALUE)
    check = (lambda output: wanted(output["output"])) if callable(wanted) else {"output": wanted}
    return Case(files.step("formatter", action, **given), check, {"value": value}, note)


def text(transform: str, value: Any, wanted: Wanted, note: str = "", **more: Any) -> Case:
    return _formatted("text", transform, wanted, value, note, **more)


def calculated(operation: str, values: tuple[str, ...], wanted: Wanted, note: str = "is exact") -> Case:
    rows = [{"input": value} for value in values]
    return _formatted(
        "numbers", "performMathOperation", wanted, note=note, mathOperation=operation, values=rows
    )


def number(value: str, mark: str, to: str, wanted: str) -> Case:
    return _formatted("numbers", "formatNumber", wanted, value, inputDecimalMark=mark, toFormat=to)


def phone(value: str, to: str, wanted: str) -> Case:
    given = {"phoneNumber": VALUE, "toFormat": to, "phoneNumberCountryCode": "US"}
    return _formatted("numbers", "formatPhoneNumber", wanted, value, **given)


def date(value: str, pattern: str, to: str, wanted: str, zone: str = "America/New_York") -> Case:
    given = {"fromFormat": pattern, "fromTimezone": "UTC", "toFormat": to, "toTimezone": zone}
    return _formatted("date-time", "formatDateTime", wanted, value, **given)


def _is_uuid(value: Any) -> bool:
    return (
        re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", value)
        is not None
    )


TEXTS = {
    "base64ToString": text("base64ToString", "aMOpbGxv", "héllo"),
    "capitalize": text("capitalize", "WORLD of big-CITIES", "World Of Big-Cities", "whole words"),
    "htmlToMarkdown": text("htmlToMarkdown", "<p>A <strong>b</strong></p>", "A **b**", "a different library"),
    "markdownToHtml": text("markdownToHtml", "A **b**", "<p>A <strong>b</strong></p>", "a different library"),
    "createUuid": _formatted("text", "createUuid", _is_uuid),
    "encodeUri": text("encodeUri", "https://x.example/a b?q=é", "https://x.example/a%20b?q=%C3%A9"),
    "encodeUriComponent": text("encodeUriComponent", "a b&c=d/é", "a%20b%26c%3Dd%2F%C3%A9"),
    "extractEmailAddress": text("extractEmailAddress", "To ann@mail.example, bob@x.de", "ann@mail.example"),
    "extractNumber": text("extractNumber", "it costs -1,234.50 EUR", "-1,234.50"),
    "extractNumber, German": text("extractNumber", "abc1.234.567,89", "1.234.567,89"),
    "extractNumber, at the end": text("extractNumber", "I have 5.", "5", "ends a sentence"),
    "extractNumber, none": text("extractNumber", "none", ""),
    "lowercase": text("lowercase", "ÄB C", "äb c"),
    "parseStringifiedJson": text("parseStringifiedJson", '{"a": [1, null]}', {"a": [1, None]}),
    "pluralize": text("pluralize", "city", "cities", "uncommon words"),
    "replace": text("replace", "a.b.c", "a-b-c", find=".", replace="-"),
    "replace with a dollar sign": text("replace", "a", "$&", "inserts “$”", find="a", replace="$&"),
    "stringToBase64": text("stringToBase64", "héllo", "aMOpbGxv"),
    "trimWhitespace": text("trimWhitespace", " \t a b \n", "a b"),
    "useDefaultValue": text("useDefaultValue", "  ", "none", defaultValue="none"),
}

NUMBERS = {
    "add": calculated("add", ("1", "2", "3.5"), 6.5),
    "add decimals": calculated("add", ("0.1", "0.2"), 0.3),
    "subtract": calculated("subtract", ("10", "3", "2.5"), 4.5),
    "multiply": calculated("multiply", ("1.5", "-2"), -3),
    "divide": calculated("divide", ("10", "4"), 2.5),
    "modulo": calculated("modulo", ("-7", "3"), -1),
    "makeNegative": calculated("makeNegative", ("5",), -5, "not a list"),
    "makeNegative of several": calculated("makeNegative", ("5", "-1"), [-5, 1]),
    "randomNumber": _formatted(
        "numbers",
        "randomNumber",
        lambda found: found in (1, 2, 3),
        lowerRange="1",
        upperRange="3",
        decimalPoints="0",
    ),
    "formatNumber 0": number("1234567.891", ".", "0", "1,234,567.891"),
    "formatNumber 1": number("1234567.891", ".", "1", "1.234.567,891"),
    "formatNumber 2": number("1.234.567,5", ",", "2", "1 234 567.5"),
    "formatNumber 3": number("1,234,567.5", ".", "3", "1 234 567,5"),
    "formatPhoneNumber e164": phone("(213) 373-4253", "e164", "+12133734253"),
    "formatPhoneNumber international": phone("(213) 373-4253", "international", "+1 213 373 4253"),
    "formatPhoneNumber national": phone("+12133734253", "national", "(213) 373-4253"),
}

_FROM = ("2023-08-23 12:25:36", "yyyy-MM-dd HH:mm:ss")
DATES = {
    "getCurrentTimestamp": _formatted("date-time", "getCurrentTimestamp", lambda ms: ms > 1.6e12),
    "getCurrentTimestampInSeconds": _formatted(
        "date-time", "getCurrentTimestampInSeconds", lambda seconds: 1.6e9 < seconds < 1.6e10
    ),
    "formatDateTime": date(*_FROM, "ccc MMM dd HH:mm:ssZZZ yyyy", "Wed Aug 23 08:25:36-0400 2023"),
    "formatDateTime with standalone months": date(*_FROM, "LLLL d", "August 23"),
    "formatDateTime with the name of the zone": date(*_FROM, "HH:mm ZZZZ", "08:25 EDT"),
    "formatDateTime with an offset as name": date(*_FROM, "h:mm a ZZZZ", "2:25 PM GMT+2", "Europe/Berlin"),
    "formatDateTime in seconds": date(*_FROM, "X", "1692793536"),
    "formatDateTime from milliseconds": date("1692793536000", "x", "dd/MM/yy", "23/08/23"),
    "formatDateTime of an old year": date("08/23/61", "MM/dd/yy", "yyyy-MM-dd", "1961-08-23", "UTC"),
    "formatDateTime in the American form": date(
        *_FROM, "DDDD 'at' t", "Wednesday, August 23, 2023 at 8:25 AM"
    ),
    "formatDateTime with week and quarter": date(*_FROM, "kkkk-'W'WW q o EEE", "2023-W34 3 235 Wed"),
}

COMPARISONS: dict[str, tuple[str, str, str]] = {
    "equal": ("a", "a", "A"),
    "not_equal": ("a", "b", "a"),
    "greater_than": ("10", "9", "10"),
    "less_than": ("9", "10", "9"),
    "greater_than_or_equal": ("10", "10.0", "11"),
    "less_than_or_equal": ("9", "9", "8"),
    "contains": ("Hello", "ell", "ELL"),
    "not_contains": ("Hello", "ELL", "ell"),
}
"""By operator: a value, what it matches, and what it doesn't match."""

_CODE = """const code = async (inputs) => {
  return { sum: Number(inputs.a) + 1, list: inputs.list, flag: inputs.flag };
};"""
OTHERS = {
    "runJavascript": Case(
        files.step(
            "code",
            "runJavascript",
            codeSnippet=_CODE,
            inputs=[
                {"key": "a", "value": "{{step.#1.body.a}}"},
                {"key": "list", "value": "{{step.#1.body.list}}"},
                {"key": "flag", "value": "true"},
            ],
        ),
        lambda output: output["output"] == {"sum": 42, "list": [1, {"x": None}], "flag": True},
        {"a": "41", "list": [1, {"x": None}]},
        "Node.js",
    ),
    "setValue": Case(
        files.step("datastore", "setValue", key="count", value="{{step.#1.body.value}}"),
        {"key": "count", "value": 7, "count": 7},
        {"value": 7},
        "stored as it is",
    ),
    "getValue": Case(
        files.step("datastore", "getValue", key="never"), {"key": "never", "value": None, "never": None}
    ),
    "delayUntil, past": Case(
        files.step("delay", "delayUntil", delayUntil="2020-01-01"),
        lambda output: output["delayUntil"] == "2020-01-01",
    ),
}

TEXTS_OF_VALUES = {
    "a whole number": ("{{step.#1.body.n}}", {"n": 1.0}, "1"),
    "a small number": ("{{step.#1.body.n}}", {"n": 0.00001}, "0.00001"),
    "numbers in JSON": ("{{step.#1.body.o}}", {"o": {"n": 1.0, "s": "1.0"}}, '{"n":1,"s":"1.0"}'),
    "a switch": ("{{step.#1.body.b}}", {"b": True}, "true"),
    "an item in brackets": ("{{step.#1.body.items[1].name}}", {"items": [{}, {"name": "x"}]}, "x"),
    "the length of a list": ("{{step.#1.body.items.length}}", {"items": [1, 2]}, "2"),
    "null": ("<{{step.#1.body.n}}>", {"n": None}, "<>"),
    "nothing": ("<{{step.#1.body.gone}}>", {}, "<>"),
}
"""A text with a reference, the body of the call, and what it becomes."""

CASES = {**TEXTS, **NUMBERS, **DATES, **OTHERS} | {
    name: Case(
        files.step("formatter", "text", transform="useDefaultValue", input=given, defaultValue="(empty)"),
        {"output": wanted},
        body,
        "not as “null”",
    )
    for name, (given, body, wanted) in TEXTS_OF_VALUES.items()
}

SCHEDULES: dict[str, tuple[dict[str, Any], Callable[[dict[str, Any]], bool]]] = {
    "everyNMinutes": ({"triggersOnWeekend": True, "interval": 5}, lambda at: at["minute"] % 5 == 0),
    "everyHour": ({"triggersOnWeekend": False}, lambda at: at["minute"] == 0 and at["day_of_week"] < 6),
    "everyDay": ({"triggersOnWeekend": True, "hour": 7}, lambda at: (at["hour"], at["minute"]) == (7, 0)),
    "everyWeek": (
        {"weekday": 0, "hour": 23},
        lambda at: (at["pretty_day_of_week"], at["hour"]) == ("Sunday", 23),
    ),
    "everyMonth": ({"day": 31, "hour": 0}, lambda at: (at["day"], at["hour"]) == (31, 0)),
}
"""By trigger: its parameters, and what holds for the time it fires at next."""
