"""Home Assistant: states, services, and the requests that its REST API documents."""

import pytest
from tests.support.app_calls import built_in_app

from patchbay.domain.errors import ThirdPartyError, ValidationFailed
from patchbay.integration.trial import ResponseSpec, Trial

TOKEN = "long-lived-token-0123456789"
LAMP = {
    "entity_id": "light.desk",
    "state": "on",
    "attributes": {"friendly_name": "Reading lamp", "brightness": 120},
    "last_changed": "2026-03-01T08:00:00+00:00",
    "last_updated": "2026-03-01T09:00:00+00:00",
}
SUN = {"entity_id": "sun.sun", "state": "below_horizon", "attributes": {}}


def trial(answers: dict[str, ResponseSpec]) -> Trial:
    connection = {"screenName": "Home", "instanceUrl": "http://ha.example.com:8123/", "apiKey": TOKEN}
    return Trial(built_in_app("home-assistant"), connection, answers)


async def test_a_connection_is_verified_with_the_token():
    tried = trial({"GET /api/": (200, {"message": "API running."})})

    await tried.verify()

    assert await tried.still_verified() is True
    assert tried.requests[0].headers["authorization"] == f"Bearer {TOKEN}"
    assert tried.data["screenName"] == "Home"


async def test_a_rejected_token_is_reported():
    tried = trial({"GET /api/": (401, {"message": "401: Unauthorized"})})

    with pytest.raises(ThirdPartyError) as caught:
        await tried.verify()

    assert caught.value.rejects_credentials


@pytest.mark.parametrize(("attributes", "moment"), [(False, "last_changed"), (True, "last_updated")])
async def test_a_state_is_identified_by_when_it_changed(attributes, moment):
    tried = trial({"GET /api/states/light.desk": (200, LAMP)})

    (item,) = await tried.trigger("stateChanged", entityId="light.desk", attributeChanges=attributes)

    assert item.internal_id == f"light.desk {LAMP[moment]}"
    assert item.raw == LAMP


@pytest.mark.parametrize(("wanted", "count"), [("On", 1), ("off", 0), ("", 1)])
async def test_only_the_wanted_state_starts_the_flow(wanted, count):
    tried = trial({"GET /api/states/light.desk": (200, LAMP)})

    assert len(await tried.trigger("stateChanged", entityId="light.desk", toState=wanted)) == count


async def test_an_entity_that_does_not_exist_is_an_error():
    tried = trial({"GET /api/states/light.none": (404, {"message": "Entity not found."})})

    with pytest.raises(ThirdPartyError) as caught:
        await tried.trigger("stateChanged", entityId="light.none")

    assert caught.value.status == 404


async def test_a_service_is_called_with_its_data():
    tried = trial({"POST /api/services/light/turn_on": (200, [LAMP])})

    output = await tried.action(
        "callService", service="light.turn_on", entityId="light.desk", data='{"brightness": 120}'
    )

    assert output == {"changed_states": [LAMP]}
    assert tried.requests[0].json == {"brightness": 120, "entity_id": "light.desk"}
    assert tried.requests[0].query == {}


async def test_the_response_of_a_service_is_requested():
    answer = {"changed_states": [], "service_response": {"weather.home": {"forecast": []}}}
    tried = trial({"POST /api/services/weather/get_forecasts": (200, answer)})

    output = await tried.action("callService", service="weather.get_forecasts", returnResponse=True)

    assert output == answer
    assert tried.requests[0].query == {"return_response": "true"}
    assert tried.requests[0].json == {}


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"service": "light"}, "service"),
        ({"service": "../config.x"}, "service"),
        ({"service": "light.turn_on", "data": "[1]"}, "data"),
        ({"service": "light.turn_on", "data": "{"}, "data"),
    ],
)
async def test_invalid_input_sends_nothing(given, field):
    tried = trial({})

    with pytest.raises(ValidationFailed) as caught:
        await tried.action("callService", **given)

    assert list(caught.value.by_field) == [field]
    assert tried.requests == []


async def test_entities_are_listed_by_name():
    tried = trial({"GET /api/states": (200, [SUN, LAMP])})

    options = await tried.options("listEntities")

    assert [(option.label, option.value) for option in options] == [
        ("Reading lamp (light.desk)", "light.desk"),
        ("sun.sun", "sun.sun"),
    ]


async def test_services_are_listed_with_their_domain():
    domains = [
        {"domain": "light", "services": {"turn_on": {"name": "Turn on"}, "toggle": {}}},
        {"domain": "keyboard", "services": ["volume_up"]},
    ]
    tried = trial({"GET /api/services": (200, domains)})

    options = await tried.options("listServices")

    assert [(option.label, option.value) for option in options] == [
        ("keyboard.volume_up", "keyboard.volume_up"),
        ("light.toggle", "light.toggle"),
        ("light.turn_on: Turn on", "light.turn_on"),
    ]
