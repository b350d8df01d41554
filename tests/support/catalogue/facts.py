"""The facts about the apps of the catalogue, and the deviations from them."""

import json
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import patchbay.apps
from patchbay.domain.base import AppKey
from patchbay.integration.app_definition import App
from patchbay.integration.registry import BUILT_IN, load_app

Facts = dict[str, Any]
FOLDER = Path(__file__).parents[2] / "apps" / "catalogue"
APPS = Path(patchbay.apps.__path__[0])
_AUTH = re.compile(r"\{auth\.(\w+)\}")


def _read(path: Path) -> Any:
    return json.loads(path.read_text("utf-8")) if path.exists() else {}


@cache
def facts() -> dict[str, Facts]:
    """The facts by app key."""
    found: dict[str, Facts] = _read(FOLDER / "facts.json")
    return found


def facts_of(key: str) -> Facts:
    """The facts of an app; of an app outside of the catalogue only its address."""
    if key in facts():
        return facts()[key]
    return {"apiBaseUrl": the_app(key).api_base_url, "auth": {}, "triggers": [], "actions": []}


def covered() -> list[str]:
    """The apps that the contract covers."""
    return list(facts())


def uses_http(key: str) -> bool:
    """Whether the app sends HTTP requests for its triggers, actions, or connection."""
    return bool(facts()[key]["auth"].get("sendsCredential")) and facts()[key]["auth"]["kind"] not in (
        "database",
        "smtp",
        "other",
    )


@cache
def the_app(key: str) -> App:
    """The app as its folder defines it."""
    return load_app(AppKey(key), BUILT_IN)


@cache
def responses(key: str) -> dict[str, Any]:
    """The realistic responses that the author of the app wrote."""
    found: dict[str, Any] = _read(FOLDER / "responses" / f"{key}.json")
    return found


@cache
def deviations(key: str) -> dict[str, str]:
    """The differences that are on purpose, and why."""
    found: dict[str, str] = _read(FOLDER / "deviations" / f"{key}.json")
    return found


def assert_agrees(key: str, where: str, differences: Iterable[str]) -> None:
    """Fail if there are other differences than the listed ones, or fewer."""
    found = {f"{where}: {difference}" for difference in differences}
    listed = {text for text in deviations(key) if text.startswith(f"{where}: ")}
    new, outdated = sorted(found - listed), sorted(listed - found)
    assert not new, f"{key} differs from the facts:\n" + "\n".join(new)
    assert not outdated, f"No longer a difference, remove from deviations/{key}.json:\n" + "\n".join(outdated)


def places(key: str) -> set[str]:
    """Everything that `assert_agrees` is called with, so that no listed deviation is overlooked."""
    own = facts()[key]
    found = {"app", "auth fields", "sign-in", "token", "renewal", "verification"}
    for kind in ("trigger", "action"):
        for event in own[f"{kind}s"]:
            found |= {f"{kind} {event['key']}", f"requests of {event['key']}", f"results of {event['key']}"}
    for loader in own.get("dynamic", ()):
        found |= {f"list {loader['key']}", f"requests of {loader['key']}"}
    return found


def events(kind: str, *, requests: bool = False) -> list[tuple[str, str]]:
    """(app, key) of each trigger, action, or dynamic list; with `requests`, only of those that send any."""
    return [
        (key, event["key"])
        for key in covered()
        for event in facts()[key].get(kind, ())
        if not requests or (uses_http(key) and sends_requests(event) and not is_left_out(key, event))
    ]


def is_left_out(key: str, event: Facts) -> bool:
    """Whether a deviation says that the app lacks this trigger, action, or list on purpose."""
    lacking = {f"app: there is no {kind} {event['key']}" for kind in ("trigger", "action", "list")}
    return not lacking.isdisjoint(deviations(key))


def sends_requests(event: Facts) -> bool:
    """Whether the facts name HTTP requests of a trigger, action, or list."""
    calls = [*event.get("calls", ()), *event.get("registerHookCalls", ())]
    return any("path" in call for call in calls)


def event_of(key: str, kind: str, event_key: str) -> Facts:
    """The facts about one trigger, action, or list."""
    return next(event for event in facts()[key][kind] if event["key"] == event_key)


def stored_names(key: str) -> set[str]:
    """The names of all values of the connection that the facts mention."""
    own = facts_of(key)
    return {*own["auth"].get("storedAfterVerify", ()), *_AUTH.findall(json.dumps(own))}
