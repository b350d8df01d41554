"""Schemathesis against a service that runs: a process of its own, without memory, always the same cases."""

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx
from tests.support.patience import STARTING
from tests.support.processes import Service
from tests.support.schema_rules import ANSWERED_BY_FLOWS, BOUND_TO_STATE, EVERYBODYS, LEFT_OUT

ROOT = Path(__file__).parents[2]
SECONDS = 900
_KEY = "PATCHBAY_TEST_KEY"
_ACCEPTANCE = "positive_data_acceptance"
_TAKEN = ["2xx", "3xx", "401", "403", "404", "409", "422", "429"]
_REFUSED = ["400", "401", "403", "404", "405", "406", "409", "413", "415", "422", "428", "429", "5xx"]
"""A list that is too long for the description makes a body that is too long to be read: 413 comes first."""
_THIS_COMPUTER = [f'headers = {{ "x-api-token" = "${{{_KEY}}}" }}']


@dataclass(frozen=True)
class Findings:
    """What came of a run: the cases of each phase, and what the program wrote."""

    cases: Counter[str]
    code: int
    report: str

    @property
    def total(self) -> int:
        return sum(self.cases.values())

    def __str__(self) -> str:
        told = ", ".join(f"{phase} {count}" for phase, count in self.cases.items())
        return f"{self.total} cases: {told}"


def attached_key(service: Service) -> str:
    """The token of this computer's programs: it may do everything and cannot be revoked by what is tried."""
    return str(json.loads((service.data / "demo" / "service.json").read_text("utf-8"))["token"])


def ask_everything(
    service: Service,
    folder: Path,
    phases: dict[str, int | None],
    people: Mapping[str, str] | None = None,
    *,
    every: int = 1,
) -> Findings:
    """Run the phases and all checks on each answer; a number bounds the cases of an operation or scenario.

    It asks as this computer, or with the keys of people by their names, who must not see each other's things.
    `every`: 3 asks a third of the operations.
    """
    config, events = folder / "schemathesis.toml", folder / "events.ndjson"
    who = _people(folder / "people.json", people) if people else _THIS_COMPUTER
    config.write_text(_config(phases, who, _left_out(service, every)), "utf-8")
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "schemathesis.cli",
            "--config-file",
            str(config),
            "run",
            f"{service.address}/openapi.json",
            "--report",
            "ndjson",
            "--report-ndjson-path",
            str(events),
        ],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
        env={
            **os.environ,
            _KEY: attached_key(service),
            "PYTHONPATH": str(ROOT),
            "SCHEMATHESIS_HOOKS": "tests.support.schema_hooks",
            "NO_COLOR": "1",
        },
    )
    return Findings(_cases(events), done.returncode, done.stdout + done.stderr)


def _left_out(service: Service, every: int) -> list[str]:
    """The operations that are not asked: those that can't be, and of the others all but every third, say."""
    paths = httpx.get(f"{service.address}/openapi.json", timeout=STARTING).json()["paths"].values()
    ids = [each["operationId"] for path in paths for each in path.values() if "operationId" in each]
    return [name for at, name in enumerate(ids) if at % every or name in LEFT_OUT]


def _config(phases: dict[str, int | None], who: list[str], left_out: Sequence[str]) -> str:
    """Every check is on; what is bound to the state may be refused with 422."""
    lines = [
        "warnings = false",
        "continue-on-failure = true",
        "request-timeout = 30.0",
        *who,
        "[generation]",
        "deterministic = true",
    ]
    for phase in ("examples", "coverage", "fuzzing", "stateful"):
        lines += [f"[phases.{phase}]", f"enabled = {str(phase in phases).lower()}"]
        if most := phases.get(phase):
            lines += [f"[phases.{phase}.generation]", f"max-examples = {most}", "deterministic = true"]
    lines += ["[checks.negative_data_rejection]", f"expected-statuses = {json.dumps(_REFUSED)}"]
    # Ids are taken from earlier answers here, where they may be null: such an address is malformed.
    lines += [
        f"[phases.stateful.checks.{_ACCEPTANCE}]",
        f"expected-statuses = {json.dumps([*_TAKEN, '400'])}",
    ]
    for operation in left_out:
        lines += ["[[operations]]", f'include-operation-id = "{operation}"', "enabled = false"]
    for operation in {*BOUND_TO_STATE, *ANSWERED_BY_FLOWS} - {*left_out}:
        lines += ["[[operations]]", f'include-operation-id = "{operation}"']
        lines += _expecting(_ACCEPTANCE, [*_TAKEN, "502", "504"])
        lines += _expecting(_ACCEPTANCE, [*_TAKEN, "502", "504", "400"], "operations.phases.stateful")
        if operation in ANSWERED_BY_FLOWS:
            lines += _expecting("not_a_server_error", ["2xx", "3xx", "4xx", "502", "504"])
    for operation in {*EVERYBODYS} - {*left_out}:
        lines += ["[[operations]]", f'include-operation-id = "{operation}"']
        lines += ["[operations.checks.object_level_authorization]", "enabled = false"]
    return "\n".join(lines) + "\n"


def _people(path: Path, keys: Mapping[str, str]) -> list[str]:
    """Who asks: the first of them, and the others to see whether they get what is not theirs."""
    auth = [
        {"name": name, "fixedHeaders": [{"name": "x-api-token", "value": key}]} for name, key in keys.items()
    ]
    path.write_text(json.dumps({"schema_version": "0.2.0", "auth": auth}), "utf-8")
    names = list(keys)
    return ["[auth.wfc]", f'path = "{path}"', f'user = "{names[0]}"', f"peers = {json.dumps(names)}"]


def _expecting(check: str, statuses: list[str], where: str = "operations") -> list[str]:
    return [f"[{where}.checks.{check}]", f"expected-statuses = {json.dumps(statuses)}"]


def _cases(events: Path) -> Counter[str]:
    """How many requests each phase sent."""
    found: Counter[str] = Counter()
    if not events.exists():  # it did not even begin; its report says why
        return found
    with events.open(encoding="utf-8") as lines:
        for line in lines:
            told = json.loads(line).get("ScenarioFinished")
            if told:
                found[told["phase"]] += len(told["recorder"].get("interactions", ()))
    return found
