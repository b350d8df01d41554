"""Tests the app without a network: run `python -m pytest` or `python tests/test_app.py` in its folder."""

import asyncio
from pathlib import Path

from patchbay.domain.errors import ThirdPartyError
from patchbay.integration.trial import Trial

FOLDER = Path(__file__).parents[1]
KEY = {"apiKey": "good-key"}
RESPONSES = {
    "GET /v1/me": (200, {"name": "Ada"}),
    "GET /v1/items": (200, {"items": [{"id": 2, "title": "Newer"}, {"id": 1, "title": "Older"}]}),
    "POST /v1/items": (201, {"id": 3}),
}


def trial(*, reject: bool = False) -> Trial:
    """The app with a simulated service that responds as above, or rejects everything."""
    return Trial(FOLDER, KEY, {} if reject else RESPONSES, otherwise=(401, {"error": "Unknown key"}))


def test_a_good_key_is_accepted_and_names_the_connection() -> None:
    tried = trial()

    asyncio.run(tried.verify())

    assert tried.data["screenName"] == "Ada"
    assert tried.requests[0].headers["authorization"] == "Bearer good-key"


def test_a_bad_key_is_rejected_with_the_services_message() -> None:
    said = "no error: the bad key was accepted"
    try:
        asyncio.run(trial(reject=True).still_verified())
    except ThirdPartyError as error:
        said = error.said

    assert said == "Unknown key"


def test_new_items_come_newest_first() -> None:
    items = asyncio.run(trial().trigger("newItem", list="inbox"))

    assert [item.internal_id for item in items] == ["2", "1"]
    assert items[0].raw == {"id": 2, "title": "Newer"}


def test_an_item_is_created_and_the_response_becomes_the_output() -> None:
    tried = trial()

    output = asyncio.run(tried.action("createItem", list="inbox", title="Milk"))

    assert output == {"id": 3}
    assert tried.requests[0].json == {"list": "inbox", "title": "Milk"}


if __name__ == "__main__":
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
            print(f"{name}: ok")
