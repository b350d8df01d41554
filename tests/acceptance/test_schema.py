"""The description of the interface is true: everything it promises is asked of the running service."""

import faulthandler
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.support.forms import long_form
from tests.support.processes import Service, until
from tests.support.schema_run import Findings, ask_everything, attached_key

pytestmark = long_form

DEMO_HISTORY = 20_000


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    """`patchbay serve` with the content of the demo, which answers in the place of all third parties."""
    with Service(tmp_path / "data", "--workspace", "demo") as running:
        headers = {"x-api-token": attached_key(running)}
        with httpx.Client(base_url=running.address, headers=headers, timeout=30) as http:

            def filled() -> bool:
                return bool(http.get("/v1/executions").json()["meta"]["count"] >= DEMO_HISTORY)

            until(filled)
        yield running


@pytest.fixture
def people(service: Service) -> dict[str, str]:
    """Two editors with a key each, and some things of their own."""
    keys: dict[str, str] = {}
    admin = {"x-api-token": attached_key(service)}
    with httpx.Client(base_url=service.address, timeout=30) as http:

        def make(path: str, body: dict[str, Any], headers: dict[str, str] = admin) -> dict[str, Any]:
            made = http.post(path, json=body, headers=headers)
            assert made.status_code == 201, made.text
            answer: dict[str, Any] = made.json()
            return answer

        for name in ("ada", "eve"):
            person = make("/v1/users", {"fullName": name, "email": f"{name}@example.org"})["data"]["id"]
            key = make("/v1/api-keys", {"name": name, "scope": "operate", "userId": person})["meta"]["value"]
            keys[name] = key
            make("/v1/flows", {"name": f"Flow of {name}", "userId": person}, {"x-api-token": key})
            make("/v1/folders", {"name": f"Folder of {name}"}, {"x-api-token": key})
    return keys


@pytest.fixture
def sound(capsys: pytest.CaptureFixture[str]) -> Callable[[Findings, int], None]:
    """Says how much was asked, even where tests say nothing, and that all of it was in order."""

    def check(found: Findings, at_least: int) -> None:
        with capsys.disabled():
            print(f"\n{found}")
        assert found.code == 0, found.report
        assert found.total >= at_least, found.report

    return check


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("every", "at_least"), [(20, 75), pytest.param(5, 300, marks=long_form)])
def test_what_the_description_says_of_every_so_many_operations_is_so(
    service, sound, tmp_path, every, at_least
):
    phases = {"examples": None, "coverage": None, "stateful": 5}
    found = ask_everything(service, tmp_path, phases, every=every)

    sound(found, at_least)


@pytest.mark.acceptance
@pytest.mark.timeout(1000)
def test_thousands_of_cases_find_nothing_else(service, sound, tmp_path):
    faulthandler.cancel_dump_traceback_later()  # it takes minutes, and nothing hangs
    found = ask_everything(
        service, tmp_path, {"examples": None, "coverage": None, "fuzzing": 40, "stateful": 200}
    )

    sound(found, 5000)


@pytest.mark.acceptance
@pytest.mark.timeout(1000)
def test_no_user_gets_another_users_resources(service, people, sound, tmp_path):
    faulthandler.cancel_dump_traceback_later()

    found = ask_everything(service, tmp_path, {"coverage": None, "fuzzing": 10, "stateful": 100}, people)

    sound(found, 2000)
