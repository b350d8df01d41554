"""Every line of the tables in docs/reference/variables.md."""

import json
import re
from pathlib import Path

import pytest

from patchbay.domain.base import ExecutionId, FlowId, StepId
from patchbay.domain.variables import RUN, references, resolve, run_values

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "variables.md").read_text("utf-8")
_ROW = re.compile(r"^\| `(.+)` \| `(.*?)`(?:[:,] (.*))? \|$", re.MULTILINE)
ROWS = [tuple(cell.replace("\\|", "|") for cell in found) for found in _ROW.findall(PAGE)]
RUN_VALUES = run_values(
    ExecutionId("0195ea3c-4d80-7000-8000-00000000002a"),
    FlowId("0195e9a0-1c00-7000-8000-000000000007"),
    "2026-03-31T09:00:00+02:00",
)
OUTPUTS = {
    StepId("issue"): json.loads(PAGE.partition("```json")[2].partition("```")[0]),
    RUN: RUN_VALUES,
}


@pytest.mark.parametrize(("text", "becomes", "remark"), ROWS)
def test_the_page_tells_the_truth(text: str, becomes: str, remark: str):
    found = resolve(text, OUTPUTS)

    assert list(references(text))
    if remark == "a list":
        assert found == json.loads(becomes)
    else:
        assert found == becomes


def test_no_line_of_a_table_is_left_out():
    lines = [line for line in PAGE.splitlines() if line.startswith("| `")]

    assert len(lines) == len(ROWS) > 15
