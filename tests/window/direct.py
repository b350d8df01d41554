"""What lists have to show: everything of a workspace asked over HTTP without a filter, and filtered here."""

import json
import re
import time
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

from tests.support.processes import Interface
from tests.window.filtering import Rows, counted

from patchbay.domain.paging import MAX_PAGE_SIZE

Row = dict[str, Any]
Holds = Callable[[Row, str], bool]
Pick = tuple[str, str]
"""The label of a chip and one of its choices."""
MINUTE = 60_000
DAY = 24 * 60 * MINUTE
SPANS = {"last hour": 60 * MINUTE, "last 7 days": 7 * DAY, "last 30 days": 30 * DAY}


class Direct:
    """A workspace as its HTTP API lists it. Each is asked for once: nothing runs meanwhile."""

    def __init__(self, interface: Interface) -> None:
        self._interface = interface
        self._data: dict[str, str] = {}

    @cached_property
    def app_names(self) -> dict[str, str]:
        return {app["key"]: app["name"] for app in self.apps}

    @cached_property
    def apps(self) -> list[Row]:
        return list(self._interface.data("/v1/apps"))

    @cached_property
    def runs(self) -> list[Row]:
        """Newest first."""
        return self._pages("/v1/executions")

    @cached_property
    def flows(self) -> list[Row]:
        """With the state of their newest run as `newest`; tests of drafts don't count."""
        newest: dict[str, Row] = {}
        for run in self.runs:
            if not run["testRun"]:
                newest.setdefault(run["flowId"], run)
        flows = self._pages("/v1/flows")
        return [{**flow, "newest": newest.get(flow["id"], {}).get("state")} for flow in flows]

    def states(self, word: str) -> list[Row]:
        return [run for run in self.runs if run["state"] == word.lower()]

    @property
    def all_failures_today(self) -> list[Row]:
        """Of published flows, since midnight."""
        since = _beginning("today")
        return [run for run in self.states("failure") if run["createdAt"] >= since and not run["testRun"]]

    @property
    def failures_today(self) -> list[Row]:
        """Those that were never retried or run again."""
        again = {run["originId"] for run in self.runs if run["originKind"] in ("retry", "replay")}
        return [run for run in self.all_failures_today if run["id"] not in again]

    def with_data(self, text: str) -> list[Row]:
        """Runs with this text in what a step took in or put out, in an error, or in the note."""
        return [run for run in self.runs if text.casefold() in self._data_of(run).casefold()]

    def _data_of(self, run: Row) -> str:
        if run["id"] not in self._data:
            steps = self._interface.steps(run["id"])
            values = [[step[name] for name in ("dataIn", "dataOut", "errorDetails")] for step in steps]
            self._data[run["id"]] = json.dumps([values, run["note"]], ensure_ascii=False)
        return self._data[run["id"]]

    @property
    def attention(self) -> set[str]:
        """The ids of flows that can't work now."""
        return {each["flowId"] for each in self._activity if each["attention"]}

    @property
    def recently_used(self) -> dict[str, int]:
        """The apps of the newest page of runs by key, each with the moment it was last used."""
        found: dict[str, int] = {}
        for run in self.runs[:MAX_PAGE_SIZE]:
            for step in run["flow"]["steps"]:
                found.setdefault(step["appKey"], run["createdAt"])
        return found

    @cached_property
    def _activity(self) -> list[Row]:
        body = {"flowIds": [flow["id"] for flow in self.flows]}
        answer = self._interface.http.post("/v1/flows/activity", json=body)
        assert answer.status_code == 200, answer.text
        return list(answer.json()["data"])

    @property
    def last_run(self) -> dict[str, int]:
        """When the newest run of each flow came in; tests of drafts don't count."""
        live = [run for run in reversed(self.runs) if not run["testRun"]]
        return {run["flowId"]: run["createdAt"] for run in live}

    @property
    def next_run(self) -> dict[str, int | None]:
        return {each["flowId"]: each["nextRunAt"] for each in self._activity}

    @cached_property
    def folders(self) -> list[Row]:
        return list(self._interface.data("/v1/folders"))

    @cached_property
    def templates(self) -> list[Row]:
        return list(self._interface.data("/v1/templates"))

    @cached_property
    def connections(self) -> list[Row]:
        return list(self._interface.data("/v1/connections"))

    @cached_property
    def users(self) -> list[Row]:
        return self._pages("/v1/users")

    @property
    def audit(self) -> list[Row]:
        """Newest first; asked anew, since opening the window may add to it."""
        return self._pages("/v1/audit")

    def apps_of(self, steps: list[Row]) -> set[str]:
        """The names of the apps of these steps."""
        keys = [str(step["appKey"]) for step in steps if step.get("appKey")]
        return {self.app_names.get(key, key) for key in keys}

    def _pages(self, path: str) -> list[Row]:
        found: list[Row] = []
        number = 1
        while True:
            answer = self._interface.http.get(path, params={"page": number, "limit": 100})
            assert answer.status_code == 200, answer.text
            found += answer.json()["data"]
            number += 1
            if number > answer.json()["meta"]["totalPages"]:
                return found


class Expected:
    """Which rows each choice of each chip leaves, by tab and label of the chip."""

    def __init__(self, direct: Direct) -> None:
        self.direct = direct
        apps_of = direct.apps_of
        self.chips: dict[str, dict[str, Holds]] = {
            "Flows": {
                "Status": lambda flow, choice: choice in _statuses(flow),
                "App": lambda flow, choice: choice in apps_of(flow["steps"]),
                "Last result": lambda flow, choice: flow["newest"] == choice.lower(),
            },
            "Executions": {
                "Status": lambda run, choice: run["state"] == choice.lower(),
                "Flow": lambda run, choice: run["flow"]["name"] == choice,
                "Started": lambda run, choice: run["createdAt"] >= _beginning(choice),
                "App": lambda run, choice: choice in apps_of(run["flow"]["steps"]),
                "Run type": lambda run, choice: run["testRun"] is (choice == "test"),
            },
            "Templates": {
                "Topic": lambda item, choice: (item["category"] or "Saved by you") == choice,
                "App": lambda item, choice: choice in apps_of(item["flowData"]["steps"]),
            },
            "My Apps": {"Category": lambda app, choice: app["category"] == choice},
            "Audit log": {
                "Kind": lambda entry, choice: entry["noun"] == KINDS[choice],
                "When": lambda entry, choice: entry["at"] >= _beginning(choice),
            },
        }
        self._searched: dict[str, Callable[[Row], list[str]]] = {
            "Flows": lambda flow: [flow["name"]],
            "Executions": lambda run: [run["flow"]["name"]],
            "Folders": lambda folder: [folder["name"]],
            "Templates": lambda item: [item["name"], item["description"], item["category"]],
            "My Apps": lambda app: [app["name"], app["key"], app["category"], *self._accounts(app["key"])],
            "Audit log": lambda entry: [entry["subject"] or "", entry["actor"]["name"] or ""],
        }

    def rows(self, tab: str, *picked: Pick, text: str = "") -> Rows:
        """What the list of a tab shows with these (chip, choice) picked and this text searched for."""
        chosen = [
            row
            for row in self._all(tab)
            if all(self.chips[tab][label](row, choice) for label, choice in picked)
            and any(text.casefold() in words.casefold() for words in self._searched[tab](row))
        ]
        if tab == "Executions":
            return self.rows_of(chosen)
        if tab == "Audit log":
            return counted([(_who(entry),) for entry in chosen])
        return sorted(row["name"] for row in chosen)

    def rows_of(self, runs: list[Row]) -> Rows:
        """How the list of executions shows these."""
        return counted([(run["state"].capitalize(), _flow_words(run)) for run in runs])

    def rows_of_states(self, words: tuple[str, ...]) -> Rows:
        return self.rows_of([run for run in self.direct.runs if run["state"].capitalize() in words])

    def rows_between(self, start: float, end: float) -> Rows:
        return self.rows_of([run for run in self.direct.runs if start <= run["createdAt"] <= end])

    def flows_by(self, column: str, descending: bool) -> Rows:
        """The names of all flows in the order of a column; those without a value there come last."""
        flows = sorted(self.direct.flows, key=lambda flow: natural(flow["name"]))
        if column == "Flow":
            return [flow["name"] for flow in (flows[::-1] if descending else flows)]
        if column == "Status":
            return [flow["name"] for flow in sorted(flows, key=lambda flow: flow["active"] is not descending)]
        moments: Mapping[str, int | None] = (
            self.direct.last_run if column == "Last run" else self.direct.next_run
        )
        known = sorted(
            (flow for flow in self.direct.flows if moments.get(flow["id"])),
            key=lambda flow: moments[flow["id"]] or 0,
            reverse=descending,
        )
        rest = [flow for flow in flows if flow not in known]
        return [flow["name"] for flow in (*known, *rest)]

    def _all(self, tab: str) -> list[Row]:
        if tab == "My Apps":
            used = {item["key"] for item in self.direct.connections}
            return [
                app
                for app in self.direct.apps
                if app["supportsConnections"] or app["broken"] or app["key"] in used
            ]
        if tab == "Folders":
            return [*self.direct.folders, {"name": "Uncategorised"}]
        names = {"Executions": "runs", "Audit log": "audit"}
        return list(getattr(self.direct, names.get(tab, tab.lower())))

    def _accounts(self, key: str) -> list[str]:
        return [item["screenName"] for item in self.direct.connections if item["key"] == key]


KINDS = {
    "Flows": "flow",
    "Connections": "connection",
    "Executions": "execution",
    "Folders": "folder",
    "Templates": "template",
    "People": "user",
    "API keys": "api_key",
    "Settings and engine": "workspace",
}
_THROUGH = {
    "window": "window",
    "command": "command",
    "key": "API key",
    "invitation": "invitation",
    "program": "by itself",
}


def _statuses(flow: Row) -> set[str]:
    """A paused flow is published too."""
    return {"Draft"} if not flow["active"] else {"Published", "Paused"} if flow["pausedAt"] else {"Published"}


def _flow_words(run: Row) -> str:
    return f"{run['flow']['name']} (test)" if run["testRun"] else str(run["flow"]["name"])


def _who(entry: Row) -> str:
    through = _THROUGH[entry["actor"]["kind"]]
    return f"{entry['actor']['name'] or through.capitalize()}, {through}"


def _beginning(choice: str) -> float:
    """When a range begins, in milliseconds."""
    now = time.time()
    if choice == "today":
        return time.mktime((*time.localtime(now)[:3], 0, 0, 0, 0, 0, -1)) * 1000
    return now * 1000 - SPANS[choice]


def natural(name: str) -> list[tuple[int, str] | str]:
    """A key by which 9 comes before 40."""
    pieces = re.split(r"(\d+)", name.casefold())
    return [(int(piece), "") if at % 2 else piece for at, piece in enumerate(pieces)]


def span_of(words: str) -> tuple[float, float]:
    """First and last millisecond of a stretch of time as a chip says it, such as "today 08:00 – now"."""
    first, _, last = words.partition(" – ")
    start = _moment(first, None)
    end = time.time() + 3600 if last == "now" else _moment(last, start) + 59.999
    return start * 1000, end * 1000


def _moment(words: str, day_of: float | None) -> float:
    """A minute in seconds: "08:00" of a given day, "today 08:00", "Sun 22, 08:00", "22 Sep, 08:00"."""
    hour, minute = map(int, words[-5:].split(":"))
    day = words[:-5].strip(" ,")
    today = datetime.now()
    if day == "" and day_of is not None:
        found = datetime.fromtimestamp(day_of)
    elif day == "today":
        found = today
    elif day[0].isdigit():
        found = datetime.strptime(f"{day} {today.year}", "%d %b %Y")
    else:
        back = (today - timedelta(days=number) for number in range(32))
        found = next(each for each in back if f"{each:%a} {each.day}" == day)
    return found.replace(hour=hour, minute=minute, second=0, microsecond=0).timestamp()
