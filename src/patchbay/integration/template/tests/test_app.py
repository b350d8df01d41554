"""Tries the app without the network: run `python -m pytest` or `python tests/test_app.py` in its folder."""

import asyncio
from pathlib import Path

from patchbay.domain.errors import ThirdPartyError
from patchbay.integration.trial import Trial

FOLDER = Path(__file__).parents[1]
KEY = {"apiKey": "good-key"}
ANSWERS = {
    "GET /v1/me": (200, {"name": "Ada"}),
    "GET /v1/items": (200, {"items": [{"id": 2, "title": "Newer"}, {"id": 1, "title": "Older"}]}),
    "POST /v1/items": (201, {"id": 3}),
}


def trial(*, refuse: bool = False) -> Trial:
    """The app with a service that answers as above, or refuses everything."""
    return Trial(FOLDER, KEY, {} if refuse else ANSWERS, otherwise=(401, {"error": "Unknown key"}))


def test_a_good_key_is_accepted_and_names_the_connection() -> None:
    tried = trial()

    asyncio.run(tried.verify())

    assert tried.data["screenName"] == "Ada"
    assert tried.requests[0].headers["authorization"] == "Bearer good-key"


def test_a_bad_key_is_refused_in_the_services_words() -> None:
    said = "nothing: the bad key was accepted"
    try:
        asyncio.run(trial(refuse=True).still_verified())
    except ThirdPartyError as error:
        said = error.said

    assert said == "Unknown key"


def test_new_items_come_newest_first() -> None:
    items = asyncio.run(trial().trigger("newItem", list="inbox"))

    assert [item.internal_id for item in items] == ["2", "1"]
    assert items[0].raw == {"id": 2, "title": "Newer"}


def test_an_item_is_created_and_its_answer_handed_on() -> None:
    tried = trial()

    made = asyncio.run(tried.action("createItem", list="inbox", title="Milk"))

    assert made == {"id": 3}
    assert tried.requests[0].json == {"list": "inbox", "title": "Milk"}


if __name__ == "__main__":
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
            print(f"{name}: ok")
