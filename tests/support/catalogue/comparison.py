"""Compares arguments and requests with the facts."""

import base64
import re
from collections.abc import Iterator, Sequence
from typing import Any

from tests.support.catalogue.facts import Facts
from tests.support.catalogue.service import Sent, SimulatedService

from patchbay.domain.fields import Argument, AuthField, accepts_references

_MASKED_TEXT = re.compile(r"<|signature|base64\(", re.IGNORECASE)


def field_differences(ours: Sequence[AuthField], theirs: Sequence[Facts]) -> Iterator[str]:
    """How auth fields differ from the facts."""
    fields = {field.key: field for field in ours}
    yield from _key_differences("field", [*fields], [fact["key"] for fact in theirs])
    for fact in theirs:
        field = fields.get(fact["key"])
        if field is None:
            continue
        if field.required != fact["required"]:
            yield f"field {field.key}: required is {field.required}"
        if field.read_only != fact["readOnly"]:
            yield f"field {field.key}: read_only is {field.read_only}"
        if field.type != fact["type"]:
            yield f"field {field.key}: the type is {field.type}"
        missing = [
            value for value in fact.get("options", ()) if value not in [one.value for one in field.options]
        ]
        if missing:
            yield f"field {field.key}: no options {missing}"


def argument_differences(ours: Sequence[Argument], theirs: Sequence[Facts]) -> Iterator[str]:
    """How arguments differ from the facts, the fields of rows included."""
    arguments = {argument.key: argument for argument in ours}
    yield from _key_differences("argument", [*arguments], [fact["key"] for fact in theirs])
    for fact in theirs:
        if (argument := arguments.get(fact["key"])) is not None:
            for difference in _argument_differences(argument, fact):
                yield f"argument {argument.key}: {difference}"


def _key_differences(what: str, ours: list[str], theirs: list[str]) -> Iterator[str]:
    yield from (f"there is no {what} {key}" for key in theirs if key not in ours)
    yield from (f"the {what} {key} isn't in the facts" for key in ours if key not in theirs)


def _argument_differences(argument: Argument, fact: Facts) -> Iterator[str]:
    if argument.type != fact["type"]:
        yield f"the type is {argument.type}"
    if argument.required != fact["required"]:
        yield f"required is {argument.required}"
    if fact.get("variables") and not accepts_references(argument):
        yield "it accepts no variables"
    yield from _option_differences(argument, fact)
    source, more = argument.source, argument.additional_fields
    if fact.get("dynamicData") != (source.loader if source else None):
        yield f"options come from {source.loader if source else None}"
    if source and not {*fact.get("dynamicDataParams", ())} <= source.parameters.keys():
        yield f"its list is loaded with {sorted(source.parameters)} only"
    if fact.get("dynamicFields") != (more.loader if more else None):
        yield f"fields come from {more.loader if more else None}"
    if missing_keys := [key for key in fact.get("dependsOn", ()) if key not in argument.depends_on]:
        yield f"it doesn't depend on {missing_keys}"
    yield from argument_differences(argument.fields, fact.get("fields", ()))


def _option_differences(argument: Argument, fact: Facts) -> Iterator[str]:
    values = [option.value for option in argument.options]
    if missing := [
        value for value in fact.get("options") or fact.get("optionsSample") or () if value not in values
    ]:
        yield f"no options {missing}"
    if fact.get("options") and (added := [value for value in values if value not in fact["options"]]):
        yield f"more options {added}"
    if fact.get("optionsCount", 0) > len(values):
        yield f"only {len(values)} of {fact['optionsCount']} options"


def request_differences(
    service: SimulatedService, calls: Sequence[Facts], sent: Sequence[Sent] | None = None
) -> Iterator[str]:
    """Which documented requests weren't sent as documented, and which others were."""
    recorded = list(service.requests if sent is None else sent)
    known = [call for call in calls if "path" in call]
    calls_of = {id(request): _best_calls(service, request, known) for request in recorded}
    for call in known:
        matching = [request for request in recorded if call in calls_of[id(request)]]
        line = f"{call['method']} {call['path']}"
        if not matching:
            yield f"{line} isn't sent"
            continue
        yield from (f"{line}: {difference}" for difference in _call_differences(call, matching))
    for request in recorded:
        if not calls_of[id(request)]:
            yield f"{request.method} {request.url} isn't in the facts"


def _best_calls(service: SimulatedService, request: Sent, calls: Sequence[Facts]) -> list[Facts]:
    """The documented requests that one is: those with the most text outside of placeholders."""
    fitting = [call for call in calls if service.is_call(request, call)]
    most = max((_literal_length(call) for call in fitting), default=0)
    return [call for call in fitting if _literal_length(call) == most]


def _literal_length(call: Facts) -> int:
    return len(re.sub(r"\{[^{}]*\}", "", call["path"]))


def _call_differences(call: Facts, sent: Sequence[Sent]) -> Iterator[str]:
    query = {name for request in sent for name in request.query}
    wanted = {*call.get("query", ())} | {part.partition("=")[0] for part in _query_in(call["path"])}
    bodies = [request.body for request in sent]
    keys = {name for body in bodies if isinstance(body, dict) for name in body}
    for name in sorted(wanted - query):
        yield f"the query has no {name}" + (", it's in the body" if name in keys else "")
    documented = call.get("bodyKeys")
    if isinstance(documented, list):
        yield from (f"the body has no {name}" for name in documented if name not in keys)
        yield from (f"the body has {name}" for name in sorted(keys) if name not in documented)
    elif documented and not any(request.content for request in sent):
        yield "there is no body"
    if call.get("encoding") == "form" and keys and not all(one.is_form for one in sent if one.content):
        yield "the body isn't a form"
    for name, value in call.get("headers", {}).items():
        values = {request.headers.get(name.lower()) for request in sent}
        if values == {None} or (" " not in value and values != {value}):
            yield f"the header {name} isn't {value}"


def _query_in(path: str) -> list[str]:
    return [part for part in path.partition("?")[2].split("&") if part]


def credential_differences(sent: Sent, places: Sequence[Facts], data: dict[str, Any]) -> Iterator[str]:
    """Where a request lacks the credential, or has another one."""
    for name in dict.fromkeys((place["in"], place["name"]) for place in places if not place.get("onlyFor")):
        same = [place for place in places if (place["in"], place["name"]) == name]
        if not any(_has_credential(sent, place, data) for place in same):
            yield f"the credential isn't in the {name[0]}, {name[1]}"


def _has_credential(sent: Sent, place: Facts, data: dict[str, Any]) -> bool:
    expected = re.sub(r"\{auth\.(\w+)\}", lambda match: str(data.get(match[1], "")), place["value"])
    if place["in"] == "basic":
        user, _, password = expected.removeprefix("username=").partition(" password=")
        encoded = base64.b64encode(f"{user}:{password}".encode()).decode()
        return sent.headers.get("authorization") == f"Basic {encoded}"
    if place["in"] == "path":
        return expected.partition("<")[0].rstrip("/") in sent.url.replace("%3A", ":")
    body = sent.body
    found = {
        "header": sent.headers.get(place["name"].lower()),
        "query": sent.query.get(place["name"]),
        "body": body.get(place["name"]) if isinstance(body, dict) else None,
    }[place["in"]]
    if _MASKED_TEXT.search(place["value"]):
        return found is not None and found.startswith(expected.partition("<")[0].partition(" ")[0])
    return found == expected
