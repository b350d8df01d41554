"""Filters beside the chips of a tab: those that links set, those of dialogs, and lists that choose a part."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

import pytest
from tests.window.accessible import Node
from tests.window.direct import Expected, Row
from tests.window.driver import PatchbayWindow, needs_a_desktop
from tests.window.filtering import BY, KEYBOARD, MOUSE, Page
from tests.window.furnished import Shown
from tests.window.pages import ROWS, SEARCH, tab_page

pytestmark = [needs_a_desktop, pytest.mark.acceptance, pytest.mark.timeout(1800)]

IN_PASSING = ("Queued", "Running")
"""States that no execution of the demo may be in just now."""


@pytest.fixture
def executions(opened: Shown) -> Page:
    return tab_page(opened.window, "Executions")


def on(*workspaces: str) -> pytest.MarkDecorator:
    """For tests that need what only these workspaces have, or that others have too much of."""
    return pytest.mark.parametrize("opened", workspaces, indirect=True)


# Links


@pytest.mark.parametrize("by", BY)
def test_the_failures_of_a_folder(opened: Shown, expected: Expected, executions: Page, by: str) -> None:
    window, failed = opened.window, opened.direct.states("Failure")
    folder = next(folder for folder in opened.direct.folders if _in_folder(failed, folder["id"]))
    page = tab_page(window, "Folders")
    page.look_for(folder["name"])
    page.shows(lambda: [folder["name"]], "the folder alone")
    window.click(window.see("cell", folder["name"], within="Folders"))
    window.click(window.see_at_rest("push button", "Show failed executions in this folder"))

    executions.shows(lambda: expected.rows_of(_in_folder(failed, folder["id"])), f"failures of {folder}")
    assert executions.set_chips() == {"Status": "Failure", "Folder": folder["name"]}
    executions.unset("Folder", by)
    executions.shows(lambda: expected.rows_of(failed), "all failures")
    assert window.complaints == []


def _in_folder(runs: list[Row], folder: str) -> list[Row]:
    return [run for run in runs if run["flow"]["folderId"] == folder]


@on("local", "server")
@pytest.mark.parametrize("by", BY)
def test_executions_with_the_same_cause(opened: Shown, expected: Expected, executions: Page, by: str) -> None:
    window, failed = opened.window, opened.direct.states("Failure")
    executions.pick("Status", "Failure", by)
    executions.shows(lambda: expected.rows_of(failed), "failures")
    _open_row(window, 0)
    window.click(window.see_at_rest("push button", re.compile("Same cause: .*")))

    note = failed[0]["note"]
    alike = [run for run in failed if note in (run["note"] or "")]
    executions.shows(lambda: expected.rows_of(alike), f"executions with {note}")
    assert executions.set_chips() == {"Status": "Failure", "Cause": note}
    executions.unset("Cause", by)
    executions.shows(lambda: expected.rows_of(failed), "failures again")


@on("local", "server")
@pytest.mark.parametrize("by", BY)
def test_what_came_from_an_execution(opened: Shown, expected: Expected, executions: Page, by: str) -> None:
    window, runs = opened.window, opened.direct.runs
    place, first = next(
        (at, run) for at, run in enumerate(runs) if any(each["originId"] == run["id"] for each in runs)
    )
    executions.shows(lambda: expected.rows("Executions"), "all executions")
    _open_row(window, place)
    window.click(window.see_at_rest("push button", "More actions", within="Executions"))
    window.click(window.see_at_rest("menu item", "Show executions started from this one"))

    came = [run for run in runs if run["originId"] == first["id"]]
    executions.shows(lambda: expected.rows_of(came), "what came from it")
    assert executions.set_chips() == {"From": first["id"][:13]}
    executions.unset("From", by)
    executions.shows(lambda: expected.rows("Executions"), "all executions")


@on("local", "server")
@pytest.mark.parametrize("text", ["Zoë", "zoë", "customer", "127.0.0.1:9", "%", "in none of them"])
def test_a_search_in_the_data(opened: Shown, expected: Expected, executions: Page, text: str) -> None:
    executions.look_for(text)
    opened.window.press("Return")
    opened.window.see("push button", f"Data: {text}", within="Executions")

    executions.shows(lambda: expected.rows_of(opened.direct.with_data(text)), f"executions with {text}")
    assert executions.set_chips() == {"Data": text}
    executions.unset("Data", KEYBOARD if text == "%" else MOUSE)
    executions.shows(lambda: expected.rows("Executions"), "all executions")
    assert opened.window.complaints == []


def _open_row(window: PatchbayWindow, row: int) -> None:
    window.rest()
    first_cells = {cell.place.y: cell for cell in reversed(window.all("cell", within="Executions"))}
    window.click(first_cells[sorted(first_cells)[row]])
    window.rest()


@on("demo")
def test_flows_of_a_connection_are_marked_by_a_chip(opened: Shown, expected: Expected) -> None:
    window, direct = opened.window, opened.direct
    refused = next(
        (item for item in direct.connections if item["health"] == "needs_attention" and item["flowCount"]),
        None,
    )
    if refused is None:
        pytest.skip("no connection here that flows use")
    page = tab_page(window, "My Apps")
    name = direct.app_names[refused["key"]]
    page.look_for(name)
    page.shows(lambda: [name], name)
    window.click(window.see_at_rest("list item", re.compile(f"{name}, .*"), within="Apps"))
    window.click(window.see_at_rest("push button", re.compile("Show .* flows?")))

    using = sorted(
        flow["name"]
        for flow in direct.flows
        if any(step["connectionId"] == refused["id"] for step in flow["steps"])
    )
    flows = Page(window, "Flows", SEARCH["Flows"], lambda page: sorted(ROWS["Flows"](page)))
    flows.shows(lambda: using, f"flows of {refused['screenName']}")
    window.see("push button", f"Connection: {refused['screenName']}", within="Flows")
    flows.unset("Connection", KEYBOARD)
    flows.shows(lambda: expected.rows("Flows"), "all flows")
    tab_page(window, "My Apps").look_for("")
    assert window.complaints == []


# Parts of a list


@pytest.mark.parametrize("by", BY)
def test_each_entry_beside_the_flows(opened: Shown, expected: Expected, by: str) -> None:
    window = opened.window
    page = tab_page(opened.window, "Flows")
    direct = opened.direct
    sides = [node for node in window.all("list", within="Flows") if node.name == "Folders"]
    entries = [item.name.partition(", ")[0] for item in window.bus.items(sides[0])]
    assert entries == [
        "All flows",
        "Needs attention",
        "Uncategorised",
        "Folders",
        *sorted((each["name"] for each in direct.folders), key=str.casefold),
    ]
    parts = {folder["name"]: folder["id"] for folder in direct.folders}
    holds: dict[str, Callable[[Row], bool]] = {
        "All flows": lambda flow: True,
        "Needs attention": lambda flow: flow["id"] in direct.attention,
        "Uncategorised": lambda flow: flow["folderId"] is None,
        **{name: partial(_is_in, key) for name, key in parts.items()},
    }
    for number, entry in enumerate(name for name in entries if name != "Folders"):
        if by == MOUSE or not number:
            window.click(window.see("list item", re.compile(f"{re.escape(entry)}, .*"), within="Folders"))
        else:
            window.press("Down")
        page.shows(partial(_names, direct.flows, holds[entry]), entry)
    window.click(window.see("list item", re.compile("All flows, .*"), within="Folders"))
    assert window.complaints == []


def _is_in(folder: str, flow: Row) -> bool:
    return bool(flow["folderId"] == folder)


def _names(flows: list[Row], holds: Callable[[Row], bool]) -> list[str]:
    return sorted(flow["name"] for flow in flows if holds(flow))


@pytest.mark.parametrize("by", BY)
def test_each_order_of_the_apps(opened: Shown, expected: Expected, by: str) -> None:
    page = replace(tab_page(opened.window, "My Apps"), rows=ROWS["My Apps"])
    direct, before = opened.direct, ROWS["My Apps"](page)
    keys = {app["name"]: app["key"] for app in direct.apps}
    by_name = sorted(expected.rows("My Apps"), key=str.casefold)
    used = direct.recently_used
    recent = sorted((name for name in by_name if keys[name] in used), key=lambda name: -used[keys[name]])
    orders = {
        "Recently used": [*recent, *(name for name in by_name if keys[name] not in used)],
        "Name": by_name,
    }
    choices = page.choices("Sort by")
    assert choices == list(orders)
    for choice in choices:
        page.pick("Sort by", choice, by)
        page.shows(partial(orders.__getitem__, choice), choice)
        page.unset("Sort by", by)
    page.shows(lambda: before, "problems first")


@pytest.mark.parametrize("by", BY)
def test_each_part_of_the_templates(opened: Shown, by: str) -> None:
    window, page = opened.window, tab_page(opened.window, "Templates")
    direct, connected = opened.direct, {item["key"] for item in opened.direct.connections}
    known = set(direct.app_names)
    parts: dict[str, Callable[[Row], bool]] = {
        "Saved by you": lambda item: item["category"] in ("", "Saved by you"),
        "Ready to use": lambda item: _apps(item) <= known and _accounts(item, direct.apps) <= connected,
        "All": lambda item: True,
    }
    if not any(map(parts["Ready to use"], direct.templates)):
        del parts["Ready to use"]  # it isn't offered
    places = (0.9, 0.5, 0.1) if len(parts) == 3 else (0.9, 0.1)
    for place, (part, holds) in zip(places, parts.items(), strict=True):
        field = window.see_at_rest("combo box", "Show templates", within="Templates")
        if by == MOUSE:
            window.click_at(round(field.place.x + place * field.place.width), field.place.middle[1])
        else:
            page.focus("Show templates")
            window.press(*["Right"] * (len(parts) - 1)) if part == "Saved by you" else window.press("Left")
        wanted = sorted(item["name"] for item in direct.templates if holds(item))
        page.shows(lambda wanted=wanted: wanted, part)  # type: ignore[misc]
        now = window.see("combo box", "Show templates", within="Templates")
        assert now.description == f"{part} {len(wanted)}"


def _apps(template: Row) -> set[str]:
    return {step["appKey"] for step in template["flowData"]["steps"] if step["appKey"]}


def _accounts(template: Row, apps: list[Row]) -> set[str]:
    """The apps whose connections the steps need, as far as the list of apps says."""
    by_key = {app["key"]: app for app in apps}
    steps = [step for step in template["flowData"]["steps"] if step["appKey"] in by_key]
    events = {
        (app["key"], event["key"]): event for app in by_key.values() for event in app.get("events") or ()
    }
    found = [(by_key[step["appKey"]], events.get((step["appKey"], step["key"]), {})) for step in steps]
    return {
        event.get("connectionApp") or app["key"]
        for app, event in found
        if event.get("needsConnection", app["supportsConnections"])
    }


# Dialogs


@contextmanager
def _settings(window: PatchbayWindow, matter: str) -> Iterator[None]:
    window.open_tab("Flows")
    window.click(window.see("push button", "Settings"))
    window.click(window.see_at_rest("list item", matter, within="Settings"))
    window.rest()
    yield
    while any(node.role == "dialog" for node in window.bus.tree().children):
        window.press("Escape")
        window.rest()


@on("server")
def test_each_filter_of_the_audit_log(opened: Shown, expected: Expected) -> None:
    window = opened.window
    page = Page(window, "Audit log", SEARCH["Audit log"], ROWS["Audit log"])
    with _settings(window, "Audit log"):
        window.click(window.see_at_rest("push button", "Open the audit log"))
        page.shows(lambda: expected.rows("Audit log"), "all entries")
        assert page.chips() == ["Kind", "When"]
        for label in page.chips():
            for choice in page.choices(label):
                for by in BY:
                    page.pick(label, choice, by)
                    page.shows(
                        partial(expected.rows, "Audit log", (label, choice)), f"{label}: {choice}, {by}"
                    )
                    page.unset(label, by)
        page.pick("Kind", "People", MOUSE)
        page.pick("When", "today", KEYBOARD)
        page.look_for("zoë")
        both = ("Kind", "People"), ("When", "today")
        page.shows(lambda: expected.rows("Audit log", *both, text="zoë"), "both chips and a name")
        page.look_for("nobody did this")
        page.shows(lambda: [0], "no results")
        window.click(window.see_at_rest("push button", "Clear filters", within="Audit log"))
        page.shows(lambda: expected.rows("Audit log"), "all entries again")
    assert window.complaints == []


@on("local", "server")
def test_people_are_found_by_name_and_address(opened: Shown) -> None:
    window, users = opened.window, opened.direct.users
    page = Page(window, "Settings", "Filter people", _people)
    with _settings(window, "People"):
        for text in ("zoë", "åsa", "EXAMPLE.org", "@localhost", "nobody is called this", ""):
            field = window.see_at_rest("text", "Filter people")
            window.click(field)
            page.retype(field, text)
            wanted = sorted(
                user["fullName"]
                for user in users
                if text.casefold() in f"{user['fullName']}\n{user['email']}".casefold()
            )
            page.shows(lambda wanted=wanted: wanted, f"people with {text}")  # type: ignore[misc]
            if not wanted:
                window.see("label", "No one's name or email matches.")
    assert window.complaints == []


def _people(page: Page) -> list[str]:
    rows = page.window.all("filler", within="Settings")
    return sorted({row.name.partition(", ")[0] for row in rows if "@" in row.name})


def test_each_category_of_apps_to_connect(opened: Shown, expected: Expected) -> None:
    window = opened.window
    page = Page(window, "Connect an app", "Search apps", lambda page: sorted(set(ROWS["My Apps"](page))))
    tab_page(window, "My Apps")
    window.press("ctrl+k")
    window.type("connect an app")
    window.rest()
    window.press("Return")
    window.see("text", "Search apps")
    window.rest()
    offered = [app for app in opened.direct.apps if app["supportsConnections"]]
    page.shows(lambda: sorted(app["name"] for app in offered), "all apps to connect")
    for choice in page.choices("Category"):
        page.pick("Category", choice, MOUSE)
        wanted = sorted(app["name"] for app in offered if app["category"] == choice)
        page.shows(lambda wanted=wanted: wanted, choice)  # type: ignore[misc]
        page.unset("Category", MOUSE)
    window.press("Escape")
    assert window.complaints == []


# The demo of the window, which nobody else can look into


@pytest.mark.parametrize("by", BY)
def test_a_state_picked_in_the_demo_leaves_only_its_rows(demo: PatchbayWindow, by: str) -> None:
    page = tab_page(demo, "Executions")
    for state in page.choices("Status"):
        page.pick("Status", state, by)
        demo.wait(partial(_all_say, page, state), f"only rows that say {state}")
        page.unset("Status", by)
    assert demo.complaints == []


def _all_say(page: Page, state: str, _tree: Node) -> Node | None:
    total, *rows = page.rows(page)
    says_so = any(
        node.name == "No matching executions" for node in page.window.all("label", within=page.name)
    )
    only = {status for status, _ in rows} == {state} if total else state in IN_PASSING and says_so
    return page.find() if only else None
