"""Many items in one webhook request: run through, or refused where the owner of the flow sees it."""

import json
from pathlib import Path

import pytest
from tests.support import flow_files as files
from tests.support.forms import long_form
from tests.support.processes import Interface, Service, until

pytestmark = [long_form, pytest.mark.timeout(180)]


def looping(name: str) -> files.Document:
    """A flow that goes through the alerts of a request."""
    flow = files.flow(
        name, files.catch(), {"parameters": {"list": "{{step.#1.body.alerts}}"}}, files.trimmed("")
    )
    _, loop, inside = flow["steps"]
    loop.update(structuralType="each")
    inside.update(parentStepId=loop["id"])
    inside["parameters"]["input"] = f"{{{{step.{loop['id']}.item.name}}}}"
    return flow


@pytest.mark.parametrize(("count", "length"), [(160, 7_000), pytest.param(1_602, 700, marks=long_form)])
def test_a_large_request_is_looped_over_and_one_over_the_limit_is_recorded(
    tmp_path: Path, count: int, length: int
) -> None:
    file = files.write(tmp_path / "flow.json", looping("Alerts"))
    alerts = [{"name": f" alert {number} ", "text": "x" * length} for number in range(count)]
    large, larger = json.dumps({"alerts": alerts}), json.dumps({"text": "x" * 11 * 1024 * 1024})
    with Service(tmp_path / "data") as service:
        made = service.command("flow", "import", file, "--publish", "--json").json[0]
        interface = Interface(service)
        address, kind = f"/webhooks/flows/{made['id']}", {"content-type": "application/json"}

        assert interface.http.post(address, content=large, headers=kind).status_code == 204
        [looped] = until(lambda: [run for run in interface.executions("Alerts") if run["finishedAt"]], 120)
        refused = [interface.http.post(address, content=larger, headers=kind) for _ in range(3)]
        recorded = [run for run in interface.executions("Alerts") if run["id"] != looped["id"]]
        service.command("engine", "settings", "--max-body-mb", "12")
        accepted = interface.http.post(address, content=larger, headers=kind)
        interface.close()

    assert (looped["state"], looped["stepsDone"]) == ("success", count + 2)
    assert [answer.status_code for answer in refused] == [413, 413, 413]
    assert len(recorded) == 1  # strangers can't fill the history
    assert (recorded[0]["state"], "larger than 10 MB" in recorded[0]["note"]) == ("failure", True)
    assert accepted.status_code == 204
