"""The apps in docs/reference/apps.md, made from their definitions; run as a program, this writes them.

`python -m tests.support.app_tables KEY=PAGE…` also notes that apps were compared with these pages today, in
`tests/apps/catalogue/checked.json`. Several pages of an app are separated by commas.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from patchbay.domain.apps import TriggerKind
from patchbay.domain.base import AppKey
from patchbay.integration import Action, App, Trigger
from patchbay.integration.app_definition import AuthKind
from patchbay.integration.registry import AppRegistry, built_in_apps

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reference" / "apps.md"
CATALOGUE = ROOT / "tests" / "apps" / "catalogue"
CHECKED = CATALOGUE / "checked.json"
BEGIN, END = "<!-- apps -->\n", "<!-- /apps -->\n"
IN_ADDITION = "in addition to"
"""In the reasons of deviations that only say that an app offers more."""

_AUTH = {
    AuthKind.NONE: "no connection",
    AuthKind.FORM: "credentials",
    AuthKind.BROWSER: "sign-in in the browser",
}
_KINDS = {
    TriggerKind.POLLING: "polling",
    TriggerKind.WEBHOOK: "webhook",
    TriggerKind.SCHEDULE: "schedule",
    TriggerKind.EVENT: "event in Patchbay",
}


def sections() -> dict[AppKey, str]:
    """The section of each app, by name."""
    checked = json.loads(CHECKED.read_text("utf-8"))
    return {app.app_key: _section(app, checked.get(app.key)) for app in _apps()}


def _apps() -> tuple[App, ...]:
    return AppRegistry(built_in_apps()).all()


def _section(app: App, checked: str | dict[str, Any] | None) -> str:
    facts = [
        f"`{app.key}`",
        app.category,
        _auth(app),
        f"[{app.base_url}]({app.base_url})" if app.base_url else "",
    ]
    if app.base_url:
        facts.append(_checked(checked) if checked else "not checked yet")
    lines = [f"### {app.name}", "", app.description, "", ", ".join(filter(None, facts)), ""]
    if app.triggers:
        lines.append(f"- Triggers: {'; '.join(map(_trigger, app.triggers))}")
    if app.actions:
        lines.append(f"- Actions: {'; '.join(map(_action, app.actions))}")
    if app.rate_limit is not None:
        lines.append(f"- Rate limit: {app.rate_limit.calls:,} requests in {app.rate_limit.seconds:,} s")
    differences = list(_differences(app.app_key))
    lines += (
        ["- Differences from Automatisch:", *(f"  - {text}" for text in differences)] if differences else []
    )
    return "\n".join(lines).rstrip("\n") + "\n"


def _checked(checked: str | dict[str, Any]) -> str:
    """The date of the last check; since the pages are noted, with links to them."""
    if isinstance(checked, str):
        return f"checked {checked}"
    links = ", ".join(f"[{number}]({page})" for number, page in enumerate(checked["pages"], 1))
    return f"checked {checked['date']} ({links})"


def _auth(app: App) -> str:
    if app.auth is not None and app.auth.browser_if:
        return "credentials or sign-in in the browser"
    return _AUTH[app.auth_kind]


def _trigger(trigger: Trigger) -> str:
    return f"{trigger.name} (`{trigger.key}`, {_KINDS[trigger.kind]})"


def _action(action: Action) -> str:
    return f"{action.name} (`{action.key}`)"


def _differences(key: AppKey) -> Iterator[str]:
    """Why the app differs from that of Automatisch, each reason once."""
    file = CATALOGUE / "deviations" / f"{key}.json"
    reasons = json.loads(file.read_text("utf-8")).values() if file.exists() else ()
    return (text for text in dict.fromkeys(reasons) if IN_ADDITION not in text)


def written() -> dict[str, str]:
    """The sections of the page, by their headings."""
    inside = PAGE.read_text("utf-8").partition(BEGIN)[2].partition(END)[0]
    parts = ("### " + part for part in inside.split("### ")[1:])
    return {part.splitlines()[0]: part.rstrip("\n") + "\n" for part in parts}


def write(checked_today: Sequence[str]) -> None:
    """Write the page, and the date of apps that were checked today."""
    dates, today = json.loads(CHECKED.read_text("utf-8")), datetime.now(UTC).date().isoformat()
    for argument in checked_today:
        key, _, pages = argument.partition("=")
        dates[key] = {"date": today, "pages": pages.split(",")} if pages else today
    CHECKED.write_text(json.dumps(dict(sorted(dates.items())), indent=1) + "\n", "utf-8")
    before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
    PAGE.write_text(before + BEGIN + "\n".join(sections().values()) + END + rest.partition(END)[2], "utf-8")


if __name__ == "__main__":
    write(sys.argv[1:])
