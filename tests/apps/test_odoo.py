"""Odoo's XML-RPC interface: calls, responses, errors, and where the API key is sent."""

from xml.etree import ElementTree

import httpx
import pytest
from tests.support.catalogue.service import SimulatedService, calling

from patchbay.apps.odoo.messages import read_response, write_call
from patchbay.domain.base import AppKey
from patchbay.domain.errors import ThirdPartyError
from patchbay.integration.registry import BUILT_IN, load_app
from patchbay.integration.third_party_errors import MAX_MESSAGE_LENGTH

KEY = "secret-apiKey-0123456789"
DATA = {
    "host": "odoo.example.com",
    "port": "443",
    "secure": "true",
    "databaseName": "garden",
    "email": "ada@example.com",
    "apiKey": KEY,
}
REJECTED = "<boolean>0</boolean>"


def _response(inner: str) -> str:
    params = f"<params><param><value>{inner}</value></param></params>"
    return f"<?xml version='1.0'?><methodResponse>{params}</methodResponse>"


def _fault(code: str, message: str) -> str:
    members = (
        f"<member><name>faultCode</name><value>{code}</value></member>"
        f"<member><name>faultString</name><value><string>{message}</string></value></member>"
    )
    fault = f"<fault><value><struct>{members}</struct></value></fault>"
    return f"<?xml version='1.0'?><methodResponse>{fault}</methodResponse>"


def _service(
    *, account: str = "<int>7</int>", response: str = _response("<int>42</int>")
) -> SimulatedService:
    def respond(request: httpx.Request) -> httpx.Response:
        signs_in = request.url.path == "/xmlrpc/2/common"
        return httpx.Response(
            200, text=_response(account) if signs_in else response, headers={"content-type": "text/xml"}
        )

    return SimulatedService("odoo", respond)


def _app():
    return load_app(AppKey("odoo"), BUILT_IN)


async def _create(service: SimulatedService, **parameters: str):
    async with calling(service, {"name": "Roses", "type": "lead", **parameters}, data=DATA) as ctx:
        await _app().actions[0].run(ctx)
        return ctx.action_output


async def test_a_lead_is_created_with_the_filled_fields():
    service = _service()

    output = await _create(service, email="bob@example.com", contactName="Bob & <Sons>\x01", phoneNumber="")

    assert output == {"id": 42}
    assert [sent.url for sent in service.requests] == [
        "https://odoo.example.com/xmlrpc/2/common",
        "https://odoo.example.com/xmlrpc/2/object",
    ]
    call = ElementTree.fromstring(service.requests[1].content)
    values = [value.text for value in call.findall("params/param/value/*")]
    assert values[:5] == ["garden", "7", KEY, "crm.lead", "create"]
    members = {member.findtext("name"): member.findtext("value/string") for member in call.iter("member")}
    assert members == {
        "name": "Roses",
        "type": "lead",
        "email_from": "bob@example.com",
        "contact_name": "Bob & <Sons>",
    }


async def test_the_connection_is_named_after_account_database_and_server():
    auth = _app().auth
    assert auth is not None

    async with calling(_service(), data={**DATA, "secure": "false", "port": "8069"}) as ctx:
        await auth.verify_credentials(ctx)
        assert await auth.is_still_verified(ctx)

    assert ctx.auth.data["screenName"] == "ada@example.com @ garden - odoo.example.com"


async def test_without_encryption_the_port_is_kept():
    auth, service = _app().auth, _service()
    assert auth is not None

    async with calling(service, data={**DATA, "secure": "false", "port": "8069"}) as ctx:
        await auth.verify_credentials(ctx)

    assert service.requests[0].url == "http://odoo.example.com:8069/xmlrpc/2/common"


async def test_rejected_credentials_are_recognized():
    service = _service(account=REJECTED)

    with pytest.raises(ThirdPartyError) as caught:
        await _create(service)

    assert caught.value.rejects_credentials
    assert len(service.requests) == 1


@pytest.mark.parametrize(
    ("response", "said", "rejects"),
    [
        (_fault("<int>3</int>", "Access Denied"), "Access Denied", True),
        (_fault("<int>2</int>", f"No name for {KEY}"), "No name for ", False),
        (
            _fault("<int>1</int>", "Traceback (most recent call last):\n  File x\nValueError: bad type"),
            "ValueError: bad type",
            False,
        ),
    ],
)
async def test_errors_are_reported_in_odoos_words(response: str, said: str, rejects: bool):
    with pytest.raises(ThirdPartyError) as caught:
        await _create(_service(response=response))

    assert caught.value.said.startswith(said)
    assert caught.value.rejects_credentials is rejects
    assert KEY not in f"{caught.value.text()} {caught.value.extra()}"


async def test_a_key_at_the_end_of_a_long_error_is_hidden_before_the_error_is_cut():
    long = f"{'x' * (MAX_MESSAGE_LENGTH - len(KEY) + 3)} {KEY}"

    with pytest.raises(ThirdPartyError) as caught:
        await _create(_service(response=_fault("<int>2</int>", long)))

    assert KEY[:6] not in f"{caught.value.text()} {caught.value.extra()}"


@pytest.mark.parametrize(
    "page",
    [
        "<html><title>Sign in</title></html>",
        "not XML",
        "<methodResponse/>",
        "",
        _response("<int>five</int>"),
        _response(f"<i8>{'9' * 5_000}</i8>"),
        _fault("<int>x</int>", "wrong"),
    ],
)
async def test_another_document_is_an_error(page: str):
    with pytest.raises(ThirdPartyError) as caught:
        await _create(_service(response=page))

    assert "XML-RPC" in caught.value.meaning


@pytest.mark.parametrize(
    ("inner", "value"),
    [
        ("<int>5</int>", 5),
        ("<i4>5</i4>", 5),
        ("<boolean>1</boolean>", True),
        ("<string>text</string>", "text"),
        ("text", "text"),
        ("<array><data><value><int>5</int></value></data></array>", 5),
        ("<array><data/></array>", None),
    ],
)
def test_values_of_responses(inner: str, value: object):
    response = read_response(_response(inner).encode())

    assert response is not None
    assert response["value"] == value


def test_entities_are_not_expanded():
    hostile = '<!DOCTYPE x [<!ENTITY a "boom">]>' + _response("&a;").partition("?>")[2]

    assert read_response(hostile.encode()) is None
    assert read_response(hostile.replace("&a;", "5").partition("]>")[2].encode()) is not None


def test_values_of_calls():
    content = write_call("m", [True, 3, ["a"], {"k": "\ud800b"}])

    assert ElementTree.fromstring(content).findtext("params/param/value/boolean") == "1"
    assert b"<array><data><value><string>a</string></value></data></array>" in content
    assert b"<member><name>k</name><value><string>b</string></value></member>" in content
