"""A service that answers other JSON than the app expects is named, and not the app's code."""

import json
from typing import Any

import pytest
from tests.support.third_party import Reply, third_party

from patchbay.domain.errors import AppError
from patchbay.integration import App, Context
from patchbay.integration.http_factory import HttpFactory

NOTHING: dict[str, Any] = {}
NUMBER: Any = 5


async def stopped(answer, read):
    """With what app code stops that reads this answer."""
    factory = HttpFactory()
    async with third_party(Reply(200, json.dumps(answer))) as service:
        ctx = Context(app=App(name="Shop", key="shop"), http_factory=factory)
        try:
            with ctx.mask_errors():
                read((await ctx.http.get(service.url)).json())
        except Exception as error:  # noqa: BLE001  what is looked at
            return error
        finally:
            await factory.aclose()
    raise AssertionError("it didn't stop")


@pytest.mark.parametrize(
    ("answer", "read", "words"),
    [
        (
            {"status": "up"},
            lambda data: data["user"],
            "an object with “user”, but it sent an object with “status”",
        ),
        ([1, 2], lambda data: data["user"], "an object, but it sent a list of 2 items"),
        ("welcome", lambda data: data.get("user"), "an object, but it sent a text"),
        ({"user": None}, lambda data: data["user"]["name"], "an object with all its values"),
        ([], lambda data: data[0], "at least one item, but it sent an empty list"),
    ],
)
async def test_the_words_say_what_was_expected_and_what_came(answer, read, words):
    error = await stopped(answer, read)

    assert isinstance(error, AppError)
    assert error.happened.startswith("127.0.0.1:")
    assert error.happened.endswith("sent an unexpected response.")
    assert words in error.meaning
    assert "address" in error.todo


async def test_a_bug_of_the_app_stays_one():
    has_it = await stopped({"user": {"name": "Ada"}}, lambda data: NOTHING["user"])
    wrong_call = await stopped({"user": {"name": "Ada"}}, lambda data: len(NUMBER))

    assert (type(has_it), type(wrong_call)) == (KeyError, TypeError)
