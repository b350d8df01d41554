"""The demo workspace served and asked from the terminal."""

from pathlib import Path

from tests.support import patient
from tests.support.forms import long_form
from tests.support.processes import Service, program, run

pytestmark = long_form


def test_the_demo_is_served_with_keys_made_before_and_meanwhile(tmp_path: Path):
    data = tmp_path / "data"
    before = run(program("--workspace", "demo", "api-key", "create", "--json", data=data))
    with Service(data, "--workspace", "demo") as service:
        count = patient.get(
            f"{service.address}/v1/executions", headers={"x-api-token": before.json["key"]}
        ).json()["meta"]["count"]
        during = service.command("api-key", "create", "--workspace", "demo", "--json")
        flows = service.command("--workspace", "demo", "flow", "list", "--json")
        local = service.command("flow", "list", "--json")
        answers = [
            patient.get(f"{service.address}/v1/{noun}", headers={"x-api-token": made.json["key"]}).json()
            for noun in ("flows", "executions")
            for made in (before, during)
        ]

    assert (before.code, during.code, flows.code, local.json) == (0, 0, 0, [])
    assert len(flows.json) >= 12
    assert answers[0]["meta"]["count"] == len(flows.json)
    assert answers[0]["meta"] == answers[1]["meta"]
    assert count >= 20_000, "it says that it listens once all its data is there"


@long_form
def test_the_demo_is_the_same_each_time_with_three_months_of_executions(tmp_path: Path):
    data = tmp_path / "data"
    flows = run(program("--workspace", "demo", "flow", "list", "--json", data=data)).json
    ran = run(program("execution", "list", "--limit", 30000, "--json", "--workspace", "demo", data=data)).json

    span_days = (ran[0]["createdAt"] - ran[-1]["createdAt"]) / 86_400_000
    assert {item["flowId"] for item in ran} <= {flow["id"] for flow in flows}  # of another building
    assert len(ran) >= 20_000
    assert 85 < span_days <= 90.5
    assert {item["status"] for item in ran} >= {"success", "failure"}
