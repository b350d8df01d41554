"""Exports as CSV never hand a spreadsheet a formula, unless that is asked for."""

import csv
import io

import pytest

from patchbay.domain.audit_log import Actor, ActorKind, AuditAction, AuditEntry
from patchbay.domain.base import ExecutionId, FlowId
from patchbay.domain.changes import ResourceType
from patchbay.domain.executions import Execution, ExecutionState, FlowRef
from patchbay.domain.exports import audit_csv as audit_lines
from patchbay.domain.exports import escape_formula, row_formatter, to_csv

FORMULAS = [
    "=1+1",
    "+1+1",
    "-1+1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\n=1",
    " =1",
    '"=1',
    "'=1",
    ' "\t=1',
    "\ufeff=1",
    "\uff1d1+1",
    "=cmd|' /C calc'!A0",
    "-2+3+cmd|' /C calc'!A0",
    '=HYPERLINK("http://x","y")',
    "\u2212 1",
    "\t",
]


@pytest.mark.parametrize("text", FORMULAS)
def test_what_a_spreadsheet_would_run_is_written_as_text(text):
    [cells] = csv.reader(io.StringIO(to_csv(("a",), [(text, "end")], head=False)))

    assert cells[0].startswith("'")
    assert cells[0].removeprefix("'") in (
        text,
        text.replace("\t=", "\t'="),
        text.replace("\r=", "\r'="),
        text.replace("\n=", "\n'="),
    )


@pytest.mark.parametrize(
    "value", ["-5", "+5", "-1.5", "1e-5", "-1,000.50", -5, -1.5, "plain", "a=b", "", "a-b, -c"]
)
def test_numbers_and_plain_texts_stay_as_they_are(value):
    assert escape_formula(value) == value


def test_a_formula_behind_a_separator_of_other_countries_is_text_too():
    assert escape_formula("harmless;=1+1") == "harmless;'=1+1"
    assert escape_formula("a|=1, =2") == "a|'=1, =2"
    assert escape_formula("a|=1, =2", ";") == "a|'=1,' =2"


def run_named(name: str) -> Execution:
    return Execution(
        id=ExecutionId("e1"),
        flow=FlowRef(id=FlowId("f1"), name=name),
        state=ExecutionState.FAILURE,
        note=name,
    )


def test_executions_and_the_audit_log_are_written_without_formulas_unless_raw():
    name = "=HYPERLINK(1)"
    actor = Actor(kind=ActorKind.KEY, name=name)
    entry = AuditEntry(
        id=1, at=0, actor=actor, deed=AuditAction.CREATED, noun=ResourceType.FLOW, subject=name
    )

    plain = row_formatter("csv")([run_named(name)], False) + audit_lines([entry], False)
    raw = row_formatter("csv", raw=True)([run_named(name)], False) + audit_lines([entry], False, raw=True)

    assert plain.count(f"'{name}") == plain.count(name) == 4
    assert raw.count(name) == 4
    assert f"'{name}" not in raw
