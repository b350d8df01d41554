"""The description of the interface is true: everything it promises is asked of the running service."""

import faulthandler
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from tests.support.processes import Service, until
from tests.support.schema_run import Findings, ask_everything, attached_key

DEMO_HISTORY = 20_000


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    """`patchbay serve` with the content of the demo, which answers in the place of all third parties."""
    with Service(tmp_path / "data", "--workspace", "demo") as running:
        headers = {"x-api-token": attached_key(running)}
        with httpx.Client(base_url=running.address, headers=headers, timeout=30) as http:

            def filled() -> bool:
                return bool(http.get("/v1/executions").json()["meta"]["count"] >= DEMO_HISTORY)

            until(filled, seconds=30)
        yield running


def sound(found: Findings, at_least: int) -> None:
    print(found)
    assert found.code == 0, found.report
    assert found.total >= at_least, found.report


@pytest.mark.timeout(180)
def test_what_the_description_says_is_so(service, tmp_path):
    found = ask_everything(service, tmp_path, {"examples": None, "coverage": None, "stateful": 5})

    sound(found, at_least=1000)


@pytest.mark.acceptance
@pytest.mark.timeout(1000)
def test_thousands_of_cases_find_nothing_else(service, tmp_path):
    faulthandler.cancel_dump_traceback_later()  # it takes minutes, and nothing hangs
    found = ask_everything(
        service, tmp_path, {"examples": None, "coverage": None, "fuzzing": 40, "stateful": 60}
    )

    sound(found, at_least=5000)
