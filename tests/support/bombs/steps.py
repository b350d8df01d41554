"""Parameters of steps that once froze or exhausted the engine, and relatives of them.

Each is (app, action, parameters), as the step is handed them: references are replaced already. Each must end
within seconds, with a result or with an error in words, while everything else goes on.
"""

from typing import Any

from patchbay.domain.base import Json, JsonObject

Step = tuple[str, str, JsonObject]


def _text(transform: str, given: str, **more: Any) -> Step:
    return "formatter", "text", {"transform": transform, "input": given, **more}


def _data(transform: str, given: Json, **more: Any) -> Step:
    return "formatter", "data", {"transform": transform, "input": given, **more}


_LAUGHS = (
    "<!DOCTYPE a ["
    + '<!ENTITY e0 "ha">'
    + "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
    + "]><a>&e9;</a>"
)


def _numbers(transform: str, **given: Any) -> Step:
    return "formatter", "numbers", {"transform": transform, **given}


def _date(given: str, form: str = "auto", to: str = "yyyy-MM-dd", **more: Any) -> Step:
    parameters = {"transform": "formatDateTime", "input": given, "fromFormat": form, "toFormat": to}
    return "formatter", "date-time", {**parameters, **more}


def _calculate(operation: str, *values: str) -> Step:
    rows = [{"input": value} for value in values]
    return _numbers("performMathOperation", mathOperation=operation, values=rows)


def _filter(*conditions: tuple[str, str, str]) -> Step:
    group: list[Any] = [
        {"key": key, "operator": operator, "value": value} for key, operator, value in conditions
    ]
    return "filter", "continueIfMatches", {"or": [{"and": [*group]}]}


def _mail(**parameters: Any) -> Step:
    letter = {"fromEmail": "a@example.com", "to": "b@example.com", "subject": "S", "body": "T"}
    return "smtp", "sendEmail", {**letter, **parameters}


STEPS: dict[str, Step] = {
    "pluralize: words without end": _text("pluralize", "a1" * 30_000),
    "pluralize: one long word and a digit": _text("pluralize", "a" * 60_000 + "1"),
    "pluralize: five million letters": _text("pluralize", "man" * 1_666_666),
    "HTML: tags that are never closed": _text("htmlToMarkdown", "<a " * 16_000),
    "HTML: nested elements": _text("htmlToMarkdown", "<div>" * 100_000),
    "HTML: nested lists": _text("htmlToMarkdown", "<ul><li>" * 300),
    "HTML: nested tables": _text("htmlToMarkdown", "<table><tr><td>" * 300),
    "HTML: declarations": _text("htmlToMarkdown", "<![" * 20_000),
    "HTML: comments that never end": _text("htmlToMarkdown", "<!--" * 20_000),
    "HTML: attributes": _text("htmlToMarkdown", "<a " + "x='" * 30_000),
    "HTML: entities": _text("htmlToMarkdown", "&" * 100_000),
    "Markdown: open brackets": _text("markdownToHtml", "[" * 50_000),
    "Markdown: links in links": _text("markdownToHtml", "[a](" * 20_000),
    "Markdown: emphasis": _text("markdownToHtml", "*a _a " * 20_000),
    "Markdown: emphasis of every length": _text("markdownToHtml", "".join(f"a{'*' * n}" for n in range(600))),
    "Markdown: code marks": _text("markdownToHtml", "".join("`" * n + " " for n in range(1_500))),
    "Markdown: quotes": _text("markdownToHtml", ">" * 50_000),
    "Markdown: nested lists": _text("markdownToHtml", "".join("  " * n + "- a\n" for n in range(500))),
    "Markdown: table": _text("markdownToHtml", "|a" * 5_000 + "\n" + "|-" * 5_000 + "\n" + "|\n" * 5_000),
    "Markdown: references": _text("markdownToHtml", "".join(f"[{n}]: u\n" for n in range(30_000))),
    "replace: 40 KB by 40 KB": _text("replace", "a" * 40_000, find="a", replace="b" * 40_000),
    "replace: 30 KB by 30 KB": _text("replace", "a" * 30_000, find="a", replace="b" * 30_000),
    "replace: almost found everywhere": _text("replace", "a" * 2_000_000, find="a" * 1_000 + "b", replace=""),
    "pattern: 40 KB by 40 KB": _text("replace", "a" * 40_000, find="a", replace="b" * 40_000, useRegex=True),
    "pattern: repetitions in repetitions": _text(
        "replace", "x" * 5_000 + "!", find="(x+x+)+y", replace="", useRegex=True
    ),
    "pattern: matches of nothing": _text(
        "replace", "a" * 1_000_000, find="", replace="b" * 1_000, useRegex=True
    ),
    "pattern: groups of groups": _text(
        "replace", "a" * 50_000, find="(a?){90}(a?){90}a{90}", replace="$1", useRegex=True
    ),
    "pattern: a group many times": _text(
        "replace", "a" * 5_000, find="(a+)", replace="$1" * 20_000, useRegex=True
    ),
    "pattern: nested deeply": _text("replace", "a", find="(" * 240 + ")" * 240, replace="", useRegex=True),
    "email address: almost one": _text("extractEmailAddress", "a'" * 500_000),
    "email address: domains without end": _text("extractEmailAddress", "a@" + "a." * 500_000),
    "number: without end": _text("extractNumber", "1" * 1_000_000),
    "number: groups without end": _text("extractNumber", "1,111" * 200_000),
    "base64: five million spaces": _text("base64ToString", "a " * 2_500_000),
    "address: every letter grows": _text("encodeUriComponent", "€" * 5_000_000),
    "capitalize: five million words": _text("capitalize", "a " * 2_500_000),
    "lower case: letters that become two": _text("lowercase", "İ" * 4_900_000),
    "text: longer than it may be": _text("lowercase", "A" * 5_000_001),
    "JSON: lists without end": _text("parseStringifiedJson", "[" * 1_000_000),
    "JSON: many lists": _text("parseStringifiedJson", "[" + "[]," * 1_000_000 + "[]]"),
    "CSV: quotes that never end": _data("parseCsv", '"' * 1_000_001),
    "CSV: one long line": _data("parseCsv", "a," * 2_000_000),
    "CSV: many lines": _data("parseCsv", "a\n" * 2_000_000),
    "CSV: the same name": _data("parseCsv", "a," * 100_000 + "\n" + "b," * 100_000),
    "XML: entities in entities": _data("parseXml", _LAUGHS),
    "XML: an external entity": _data(
        "parseXml", '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///dev/zero">]><a>&x;</a>'
    ),
    "XML: nested without end": _data("parseXml", "<a>" * 1_000_000),
    "XML: many elements": _data("parseXml", "<a>" + "<b/>" * 1_000_000 + "</a>"),
    "XML: attributes": _data("parseXml", "<a " + " ".join(f'a{n}="1"' for n in range(200_000)) + "/>"),
    "template: braces": _data("fillTemplate", [1] * 1_000, template="{" * 1_000_000),
    "template: many items": _data("fillTemplate", [1] * 500_000, template="{item}" * 5_000),
    "extract: a pattern that backtracks": _text("extractByPattern", "a" * 40_000 + "!", pattern="^(a|a)+$"),
    "extract: every place": _text("extractByPattern", "a" * 4_000_000, pattern="a*", findAll=True),
    "URL: parameters": _text("parseUrl", "https://a.example/?" + "&" * 90_000),
    "URL: brackets": _text("extractUrl", "http://" * 500_000),
    "JSON: 5,000 digits": _text("parseStringifiedJson", "1" * 5_000),
    "JSON: an exponent": _text("parseStringifiedJson", "1e999999999"),
    "JSON: not a number": _text("parseStringifiedJson", "[NaN, Infinity, -Infinity]"),
    "JSON: the same key": _text("parseStringifiedJson", "{" + '"a":1,' * 500_000 + '"a":1}'),
    "calculate: 5,000 digits": _calculate("multiply", "9" * 5_000, "9" * 5_000),
    "calculate: an exponent": _calculate("add", "1e999999999", "1"),
    "calculate: large exponents": _calculate("multiply", *["9e999"] * 2_000),
    "calculate: small exponents": _calculate("multiply", *["1e-999"] * 2_000),
    "calculate: digits that differ by exponents": _calculate("add", "1e999", "1e-999"),
    "calculate: very many numbers": _calculate("average", *["1.5"] * 100_000),
    "format number: 5,000 digits": _numbers(
        "formatNumber", input="9" * 5_000, inputDecimalMark=".", toFormat="0"
    ),
    "format number: four million digits": _numbers(
        "formatNumber", input="9" * 4_000_000, inputDecimalMark=".", toFormat="0"
    ),
    "random: decimals without end": _numbers(
        "randomNumber", lowerRange="0", upperRange="1", decimalPoints="1e999"
    ),
    "random: a range without end": _numbers("randomNumber", lowerRange="-1e999", upperRange="1e999"),
    "phone: 100,000 digits": _numbers("formatPhoneNumber", phoneNumber="+1" * 50_000, toFormat="e164"),
    "phone: brackets": _numbers(
        "formatPhoneNumber",
        phoneNumber="+49" + "(" * 90,
        toFormat="national",
        phoneNumberCountryCode="DE" * 9_999,
    ),
    "date: 100,000 digits": _date("1" * 100_000),
    "date: spaces": _date("1" + " " * 100_000 + "x"),
    "date: time zones one after the other": _date("a" * 3_000 + "!", form="z" * 60),
    "date: time zones separated by nothing": _date("a/b" * 300 + "!", form="zz" * 40),
    "date: the last day, further on": _date("9999-12-31 23:59", toTimezone="Pacific/Kiritimati"),
    "date: the first day, further back": _date(
        "0001-01-01 00:00", fromTimezone="UTC", toTimezone="Pacific/Honolulu"
    ),
    "date: a form of 100,000 letters": _date("2026-01-01", to="yyyy" * 25_000),
    "date: quotes": _date("2026-01-01", to="'" * 99),
    "date: a zone of 300 characters": _date("2026-01-01", toTimezone="A" * 300),
    "date: a zone that is a path": _date("2026-01-01", toTimezone="../" * 30 + "etc/passwd"),
    "filter: 9,000 conditions": _filter(*[("a" * 500, "contains", "b")] * 9_000),
    "filter: 9,000 conditions that hold": _filter(*[("a" * 500, "contains", "a")] * 9_000),
    "filter: almost found everywhere": _filter(("a" * 2_000_000, "contains", "a" * 5_000 + "b")),
    "filter: 5,000 digits": _filter(("9" * 5_000, "greater_than", "8" * 5_000)),
    "filter: exponents": _filter(("1e999", "greater_than", "1e-999")),
    "filter: a pattern that backtracks": _filter(*[("a" * 40 + "!", "matches_pattern", "^(a|a)+$")] * 9),
    "filter: a long text and a pattern": _filter(("a" * 2_000_000, "matches_pattern", "(a*)*b")),
    "filter: 3,000 dates": _filter(*[("2 March 2026 at 8:30 pm", "in_last", "999999 years")] * 3_000),
    "filter: lists without end": _filter(("[" * 1_000_000, "includes", "a")),
    "filter: many items": _filter(("[" + "1," * 1_000_000 + "1]", "includes", "a")),
    "delay: 999,999 days": (
        "delay",
        "delayFor",
        {"delayForUnit": "days", "delayForValue": "999999"},
    ),
    "delay: an exponent": ("delay", "delayFor", {"delayForUnit": "weeks", "delayForValue": "1e999"}),
    "delay: not a number": ("delay", "delayFor", {"delayForUnit": "weeks", "delayForValue": "NaN"}),
    "delay: a period": ("delay", "delayUntil", {"delayUntil": "P999999999D"}),
    "delay: the first day": ("delay", "delayUntil", {"delayUntil": "0001-01-01T00:00+14:00"}),
    "delay: the last day": ("delay", "delayUntil", {"delayUntil": "9999-12-31T23:59-12:00"}),
    "datastore: a key of 100,000 characters": (
        "datastore",
        "setValue",
        {"key": "k" * 100_000, "value": "v"},
    ),
    "datastore: ten million characters": ("datastore", "setValue", {"key": "k", "value": "v" * 10_000_000}),
    "answer: 5,000 digits": ("patchbay", "answer", {"dataAs": "json", "json": "1" * 5_000}),
    "answer: lists without end": ("patchbay", "answer", {"dataAs": "json", "json": "[" * 100_000}),
    "mail: quotes in To": _mail(to='"' + '\\"' * 25_000),
    "mail: brackets in To": _mail(to="(" * 50_000),
    "mail: pointed brackets in To": _mail(to="<" * 50_000),
    "mail: a long domain": _mail(to="a@" + "ü" * 100_000),
    "mail: a long subject": _mail(subject="ü" * 1_000_000),
    "mail: a long name": _mail(fromName="ü " * 500_000),
    "mail: one line of text": _mail(body="ü" * 5_000_000),
    "mail: ten thousand recipients": _mail(to=", ".join(["b@example.com"] * 10_000)),
    "respond: 5,000 digits": (
        "webhook",
        "respondWith",
        {"statusCode": "2" * 5_000, "body": "b"},
    ),
    "respond: 10,000 headers": (
        "webhook",
        "respondWith",
        {
            "statusCode": "200",
            "body": "b",
            "headers": [{"key": f"x-{n}", "value": "v"} for n in range(10_000)],
        },
    ),
    "request: a very long address": (
        "http-request",
        "customRequest",
        {"method": "GET", "url": "http://127.0.0.1:1/" + "a" * 1_000_000},
    ),
    "request: an address of brackets": (
        "http-request",
        "customRequest",
        {"method": "GET", "url": "http://[" + "[" * 100_000},
    ),
}

BIG = "a" * 400_000
TRIGGER_ITEM: dict[str, Any] = {"big": BIG, "list": [BIG], "small": "a" * 200}
"""What the trigger of a flow with the steps below puts out: no more than a webhook takes."""

_BIG, _SMALL, _LIST = ("{{step.TRIGGER." + key + "}}" for key in ("big", "small", "list"))

WITH_REFERENCES: dict[str, Step] = {
    "a large value 400 times in one text": _text("lowercase", _BIG * 400),
    "a large value 400 times as JSON": _text("lowercase", _BIG.replace("}}", " | json}}") * 400),
    "a large list in 2,000 rows": (
        "patchbay",
        "answer",
        {"dataAs": "fields", "fields": [{"key": f"k{n}", "value": _LIST} for n in range(2_000)]},
    ),
    "a small value 30,000 times": _text("lowercase", _SMALL * 30_000),
    "5,000 conditions with a large value": _filter(*[(_BIG, "contains", "b")] * 5_000),
    "references that find nothing": _text("lowercase", "{{step.TRIGGER.none}}" * 30_000),
    "references that never end": _text("lowercase", "{{step.TRIGGER.a" * 30_000),
    "references with quotes that never end": _text("lowercase", '{{step.TRIGGER."a""' * 30_000),
    "a very long path": _text("lowercase", "{{step.TRIGGER" + ".a" * 300_000 + "}}"),
    "JSON made of many values": (
        "patchbay",
        "answer",
        {"dataAs": "json", "json": "[" + (_SMALL + ",") * 20_000 + "1]"},
    ),
}
"""Steps whose parameters refer to the trigger, which stands there as `TRIGGER`; see `with_trigger`."""


def with_trigger(parameters: dict[str, Any], step_id: str) -> dict[str, Any]:
    """These parameters with references to the trigger of a flow."""

    def walk(value: Json) -> Any:
        if isinstance(value, str):
            return value.replace("{{step.TRIGGER", "{{step." + step_id)
        if isinstance(value, list):
            return [walk(item) for item in value]
        return {key: walk(item) for key, item in value.items()} if isinstance(value, dict) else value

    return {key: walk(value) for key, value in parameters.items()}
