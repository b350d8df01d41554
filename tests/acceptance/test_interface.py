"""The HTTP interface of a served folder, and the keys that open it."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from tests.support import flow_files as files
from tests.support import patient
from tests.support.counterparty import Counterparty
from tests.support.forms import long_form
from tests.support.processes import Interface, Service, program, run


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with Service(tmp_path_factory.mktemp("interface") / "data") as running:
        yield running


@pytest.fixture(scope="module")
def interface(
    service: Service, tmp_path_factory: pytest.TempPathFactory, party: Counterparty
) -> Iterator[Interface]:
    """A folder with twelve published flows and one draft; one execution succeeded, one failed."""
    party.answers["/broken"] = (500, {"error": "no"})
    published = [
        files.flow(f"Flow {number:02}", files.catch(), files.trimmed("x")) for number in range(1, 12)
    ] + [files.flow("Breaks", files.catch(), files.request("GET", f"{party.address}/broken"))]
    folder = tmp_path_factory.mktemp("files")
    draft = files.write(folder / "draft.json", files.orders(party.address, "A draft"))
    service.command("flow", "import", draft)
    imported = service.command(
        "flow", "import", files.write(folder / "f.json", published), "--publish", "--json"
    ).json
    interface = Interface(service)
    for flow in (imported[0], imported[-1]):
        patient.post(f"{service.address}/webhooks/flows/{flow['id']}", json={})
        interface.finished(flow["name"])
    yield interface
    interface.close()


def test_flows_come_ten_a_page_in_the_envelope_of_the_interface(interface):
    first = interface.http.get("/v1/flows").json()
    second = interface.http.get("/v1/flows", params={"page": 2}).json()

    assert (
        first["meta"].items()
        >= {"type": "Flow", "count": 13, "isArray": True, "currentPage": 1, "totalPages": 2}.items()
    )
    assert (len(first["data"]), len(second["data"])) == (10, 3)
    assert {"id", "name", "active", "status", "executionInterval", "steps", "createdAt", "updatedAt"} <= set(
        first["data"][0]
    )


def test_flows_are_filtered_by_name_status_folder_and_owner(interface):
    user = interface.data("/v1/users")[0]["id"]
    folder = interface.http.post(f"/v1/users/{user}/folders", json={"name": "Sales"}).json()["data"]["id"]
    flow = interface.data("/v1/flows", name="flow 03")[0]
    interface.http.patch(f"/v1/flows/{flow['id']}/folder", json={"folderId": folder}).raise_for_status()

    assert [item["name"] for item in interface.data("/v1/flows", status="draft")] == ["A draft"]
    assert [item["name"] for item in interface.data("/v1/flows", folderId=folder)] == ["Flow 03"]
    assert len(interface.data("/v1/flows", userId=user)) == 10
    assert interface.data("/v1/flows", userId=files.an_id("nobody")) == []
    assert interface.data("/v1/flows", name="no such flow") == []


def test_executions_are_filtered_by_name_status_and_time(interface):
    every = interface.http.get("/v1/executions").json()
    newest = every["data"][0]

    assert (
        every["meta"].items()
        >= {
            "type": "Execution",
            "count": 2,
            "isArray": True,
            "currentPage": 1,
            "totalPages": 1,
        }.items()
    )
    assert {"id", "status", "testRun", "flow", "createdAt", "updatedAt"} <= set(newest)
    assert newest["flow"]["name"] == "Breaks"
    assert [item["status"] for item in interface.data("/v1/executions", status="success")] == ["success"]
    assert [item["flow"]["name"] for item in interface.data("/v1/executions", name="flow 01")] == ["Flow 01"]
    assert interface.data("/v1/executions", startDateTime=newest["createdAt"] + 1) == []
    assert len(interface.data("/v1/executions", startDateTime=newest["createdAt"])) == 1
    assert interface.data("/v1/executions", endDateTime=1) == []


def test_a_deleted_folder_leaves_its_flows_without_folder(interface):
    user = interface.data("/v1/users")[0]["id"]
    folder = interface.http.post(f"/v1/users/{user}/folders", json={"name": "Old"}).json()["data"]["id"]
    flow = interface.data("/v1/flows", name="flow 05")[0]
    interface.http.patch(f"/v1/flows/{flow['id']}/folder", json={"folderId": folder}).raise_for_status()

    deleted = interface.http.delete(f"/users/{user}/folders/{folder}")
    again = interface.http.delete(f"/users/{user}/folders/{folder}")
    kept = interface.data("/v1/flows", name="flow 05")[0]

    assert deleted.is_success
    assert again.status_code == 404
    assert "errors" in again.json()
    assert (kept["folderId"], kept["active"]) == (None, True)


@pytest.mark.parametrize("headers", [{}, {"x-api-token": "wrong"}, {"Authorization": "Bearer x"}])
def test_without_a_good_key_everything_is_refused_in_json(interface, service, headers):
    user, folder = files.an_id("user"), files.an_id("folder")
    asked = [("GET", "/v1/executions"), ("GET", "/v1/flows"), ("DELETE", f"/users/{user}/folders/{folder}")]

    answers = [patient.request(method, service.address + path, headers=headers) for method, path in asked]

    assert [answer.status_code for answer in answers] == [401, 401, 401]
    assert all(answer.json()["errors"]["general"] for answer in answers)


def test_questions_that_make_no_sense_are_refused_in_json(interface):
    malformed = interface.http.get("/v1/flows", params={"folderId": "not-a-uuid"})
    status = interface.http.get("/v1/executions", params={"status": "weird"})
    nowhere = interface.http.get("/v1/nowhere")

    assert malformed.status_code == 400
    assert status.json()["meta"]["count"] == 2  # an unknown status is ignored, as the interface has it
    assert nowhere.status_code == 404
    assert all("errors" in answer.json() for answer in (malformed, nowhere))


@long_form
def test_a_key_made_before_during_and_a_revoked_one(tmp_path: Path):
    data = tmp_path / "data"
    before = run(program("api-key", "create", "--name", "before", "--json", data=data))
    with Service(data) as service:
        during = service.command("api-key", "create", "--json")
        plain = service.command("api-key", "create")
        keys = [before.json["key"], during.json["key"], plain.out.strip()]
        before_revoking = [_flows(service, key).status_code for key in keys]
        listed = service.command("api-key", "list", "--json")
        service.command("api-key", "revoke", before.json["id"])
        after = [_flows(service, key).status_code for key in keys]

    assert (before.code, during.code, plain.code) == (0, 0, 0)
    assert all(len(key) == 96 for key in keys)
    assert before_revoking == [200, 200, 200]
    assert after == [401, 200, 200]
    assert {"before"} <= {item["name"] for item in listed.json}
    assert not any(key in listed.out for key in keys)


def _flows(service: Service, key: str) -> httpx.Response:
    return patient.get(f"{service.address}/v1/flows", headers={"x-api-token": key})
