"""Schemathesis against a service that runs: a process of its own, without memory, always the same cases."""

import json
import os
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from tests.support.processes import Service
from tests.support.schema_rules import ANSWERED_BY_FLOWS, BOUND_TO_STATE, LEFT_OUT

ROOT = Path(__file__).parents[2]
SECONDS = 900
_KEY = "PATCHBAY_TEST_KEY"


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


def ask_everything(service: Service, folder: Path, phases: dict[str, int | None]) -> Findings:
    """Run the phases and all checks on each answer; a number bounds the cases of an operation or scenario."""
    config, events = folder / "schemathesis.toml", folder / "events.ndjson"
    config.write_text(_config(phases), "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "schemathesis.cli", "--config-file", str(config), "run",
         f"{service.address}/openapi.json", "--report", "ndjson", "--report-ndjson-path", str(events)],
        cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False,
        env={**os.environ, _KEY: attached_key(service), "PYTHONPATH": str(ROOT),
             "SCHEMATHESIS_HOOKS": "tests.support.schema_hooks", "NO_COLOR": "1"},
    )  # fmt: skip
    return Findings(_cases(events), done.returncode, done.stdout + done.stderr)


def _config(phases: dict[str, int | None]) -> str:
    """Every check is on; what is bound to the state may be refused with 422."""
    lines = [
        'warnings = false', 'continue-on-failure = true', 'request-timeout = 30.0',
        f'headers = {{ "x-api-token" = "${{{_KEY}}}" }}',
        "[generation]", "deterministic = true",
    ]  # fmt: skip
    for phase in ("examples", "coverage", "fuzzing", "stateful"):
        lines += [f"[phases.{phase}]", f"enabled = {str(phase in phases).lower()}"]
        if most := phases.get(phase):
            lines += [f"[phases.{phase}.generation]", f"max-examples = {most}", "deterministic = true"]
    for operation in LEFT_OUT:
        lines += ["[[operations]]", f'include-operation-id = "{operation}"', "enabled = false"]
    known = ["2xx", "3xx", "401", "403", "404", "409", "422", "429"]
    for operation in (*BOUND_TO_STATE, *ANSWERED_BY_FLOWS):
        lines += ["[[operations]]", f'include-operation-id = "{operation}"']
        lines += _expecting("positive_data_acceptance", [*known, "502", "504"])
        if operation in ANSWERED_BY_FLOWS:
            lines += _expecting("not_a_server_error", ["2xx", "3xx", "4xx", "502", "504"])
    return "\n".join(lines) + "\n"


def _expecting(check: str, statuses: list[str]) -> list[str]:
    return [f"[operations.checks.{check}]", f"expected-statuses = {json.dumps(statuses)}"]


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
