"""Forms through the real service: what a visitor's browser sees and sends, and what the flow receives."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.support import flow_files as files
from tests.support import patient
from tests.support.forms import long_form
from tests.support.processes import Interface, Service

pytestmark = pytest.mark.timeout(300)

BROWSER = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8", "origin": "null"}
FIELDS = [
    {"label": "Name", "type": "text", "required": True},
    {"label": "Guests", "type": "number"},
    {"label": "Menu", "type": "file"},
]
SUBMITTED = {"name": "Ada <b>", "guests": "3"}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("served")
    passphrase = folder / "passphrase"
    passphrase.write_text("correct horse battery staple")
    passphrase.chmod(0o600)
    with Service(folder / "data", "--passphrase-file", str(passphrase)) as running:
        yield running


@pytest.fixture(scope="module")
def interface(service: Service) -> Iterator[Interface]:
    made = Interface(service)
    yield made
    made.close()


@pytest.fixture(scope="module")
def visitor(service: Service) -> Iterator[httpx.Client]:
    """Someone with a browser, without an API key."""
    with patient.Client(base_url=service.address, headers=BROWSER) as client:
        yield client


def published(interface: Interface, name: str, *actions: files.Document, **parameters: Any) -> Any:
    """A published flow with a form; its trigger has the address."""
    own = {"formId": "own", "title": name, "fields": FIELDS, "workSynchronously": False, **parameters}
    form = files.step("forms", "newFormSubmission", **own)
    answer = interface.http.post("/v1/flows/import", json=files.flow(name, form, *actions))
    assert answer.status_code == 201, answer.text
    flow = answer.json()["data"]
    for each in flow["steps"]:
        interface.http.post(f"/v1/steps/{each['id']}/skip-test").raise_for_status()
    answer = interface.http.patch(f"/v1/flows/{flow['id']}/status", json={"active": True})
    assert answer.status_code == 200, answer.text
    return interface.data(f"/v1/flows/{flow['id']}")


def address(flow: Any) -> str:
    return str(flow["steps"][0]["webhookUrl"])


def mark_of(page: httpx.Response) -> dict[str, str]:
    """The hidden field of a form."""
    found = re.search(r'name="_submission" value="([0-9a-f]+)"', page.text)
    assert found
    return {"_submission": found[1]}


def test_a_visitor_corrects_the_form_and_is_thanked_once_the_submission_is_stored(interface, visitor):
    flow = published(interface, "Dinner", files.trimmed("{{step.#1.body.name}}"), thanks="See you!")

    page = visitor.get(address(flow))
    wrong = visitor.post(address(flow), data={**mark_of(page), "guests": "many"})
    sent = {**mark_of(wrong), **SUBMITTED}
    menu = {"menu": ("menu.txt", b"soup", "text/plain")}
    thanks = [visitor.post(address(flow), data=sent, files=menu) for _ in range(2)]

    assert (page.status_code, wrong.status_code) == (200, 422)
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert page.headers["content-security-policy"].startswith("sandbox")
    assert "Enter a number." in wrong.text
    assert [one.status_code for one in thanks] == [200, 200]
    assert [one.headers.get("x-patchbay-delivery") for one in thanks] == [None, "duplicate"]
    assert "See you!" in thanks[1].text
    [execution] = interface.finished("Dinner")
    trigger, action = interface.steps(execution["id"])
    upload = {"name": "menu.txt", "contentType": "text/plain", "size": 4, "base64": "c291cA=="}
    assert trigger["dataOut"] == {"body": {"name": "Ada <b>", "guests": 3, "menu": upload}, "query": {}}
    assert action["dataOut"] == {"output": "Ada <b>"}


def test_a_visitor_sees_what_the_flow_responds_with(interface, visitor):
    answer = files.step(
        "forms",
        "respondWith",
        statusCode="201",
        body="<p>Hello, {{step.#1.body.name}}</p>",
        headers=[{"key": "Content-Type", "value": "text/html"}],
    )
    flow = published(interface, "Greeting", answer, workSynchronously=True)

    shown = visitor.post(address(flow), data={"name": "Ada"})

    assert address(flow).endswith("/sync")
    assert (shown.status_code, shown.text) == (201, "<p>Hello, Ada</p>")
    assert shown.headers["content-security-policy"].startswith("sandbox")


def test_a_visitor_of_a_flow_without_a_response_is_thanked_and_failures_are_pages(interface, visitor):
    only_ada = files.only_if("{{step.#1.body.name}}", "equal", "Ada")
    flow = published(interface, "Choosy", only_ada, files.trimmed("x"), workSynchronously=True)

    thanks = visitor.post(address(flow), data={"name": "Ada"})
    filtered = visitor.post(address(flow), data={"name": "Eve"})
    program = visitor.post(address(flow), data={"name": "Eve"}, headers={"accept": "application/json"})

    assert thanks.status_code == 200
    assert "Your response was sent" in thanks.text
    assert filtered.status_code == 422
    assert filtered.headers["content-type"].startswith("text/html")
    assert program.json()["meta"]["type"] == "WebhookError"


def test_a_visitor_is_redirected_and_drafts_only_take_samples(interface, visitor):
    flow = published(
        interface, "Redirecting", files.trimmed("x"), asyncRedirectUrl="https://example.com/thanks?a=1"
    )

    redirected = visitor.post(address(flow), data=SUBMITTED)
    interface.http.patch(f"/v1/flows/{flow['id']}/status", json={"active": False}).raise_for_status()
    sample = visitor.post(address(flow), data=SUBMITTED)

    assert (redirected.status_code, redirected.headers["location"]) == (303, "https://example.com/thanks?a=1")
    assert (sample.status_code, sample.headers["x-patchbay-delivery"]) == (303, "test")
    assert sorted(one["testRun"] for one in interface.finished("Redirecting", 2)) == [False, True]


def test_a_flow_uses_the_form_of_another_flow_as_long_as_that_is_published(interface, visitor):
    first = published(interface, "First", files.trimmed("x"))
    second = published(interface, "Second", files.trimmed("{{step.#1.body.name}}"), formId=first["id"])
    listed = interface.http.post(
        f"/v1/steps/{second['steps'][0]['id']}/dynamic-data",
        json={"dynamicDataKey": "listForms", "parameters": {}},
    )

    shown = visitor.get(address(second))
    visitor.post(address(second), data=SUBMITTED).raise_for_status()
    [execution] = interface.finished("Second")
    interface.http.patch(f"/v1/flows/{first['id']}/status", json={"active": False}).raise_for_status()
    gone = visitor.get(address(second))

    assert listed.status_code == 200, listed.text
    assert {one["value"] for one in listed.json()["data"]} >= {"own", first["id"]}
    assert "<h1>First</h1>" in shown.text
    assert interface.steps(execution["id"])[1]["dataOut"] == {"output": "Ada <b>"}
    assert (gone.status_code, "This form isn&#x27;t available" in gone.text) == (404, True)


@long_form
def test_a_visitor_who_sends_too_much_or_no_form_sees_a_small_page(interface, visitor):
    fields = [{"label": "Name", "type": "text"}]
    flow = published(interface, "Short", files.trimmed("x"), fields=fields)

    too_long = visitor.post(address(flow), data={"name": "'" * 3_000_000})
    no_form = visitor.post(address(flow), json={"name": "Ada"})
    wrong = visitor.post(address(flow), data={"name": "'" * 1500})

    assert (too_long.status_code, no_form.status_code, wrong.status_code) == (413, 415, 422)
    for answer in (too_long, no_form, wrong):
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert len(answer.content) < 20_000


@long_form
def test_a_visitor_of_an_address_that_leads_nowhere_sees_a_page(interface, visitor, tmp_path: Path):
    flow = published(interface, "Small", files.trimmed("x"))

    unknown = visitor.get("/webhooks/flows/00000000-0000-4000-8000-000000000000")
    too_large = visitor.post(address(flow), content=b"x" * (11 << 20), headers={"content-type": "text/plain"})

    assert (unknown.status_code, too_large.status_code) == (404, 413)
    for answer in (unknown, too_large):
        assert answer.headers["content-type"].startswith("text/html")
        assert "<script" not in answer.text
