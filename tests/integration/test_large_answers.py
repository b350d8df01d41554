"""JSON of third parties with millions of values: refused before it is read; long responses block nothing."""

import threading
from typing import Any

import pytest
from tests.support.bombs.answers import MANY_VALUES
from tests.support.forms import in_forms
from tests.support.third_party import Reply, third_party

from patchbay.domain.errors import NotSupported
from patchbay.domain.json_limits import MAX_JSON_VALUES, TooManyValues, read_json
from patchbay.integration import App, Context, request, request_actions
from patchbay.integration.context import CurrentAuth
from patchbay.integration.http_factory import HttpFactory
from patchbay.integration.request import Response
from patchbay.integration.request_actions import response_data, set_response_item

JSON = {"content-type": "application/json"}


def response(content: bytes) -> Response:
    return Response(
        status=200, reason="OK", headers=JSON, content=content, url="https://shop.test", app="Shop"
    )


@pytest.mark.parametrize("name", in_forms([*MANY_VALUES], short=["numbers", "nested lists"]))
@pytest.mark.parametrize("read", [Response.json, response_data], ids=["json", "data"])
def test_too_many_values_are_rejected_with_a_clear_error(read, name):
    with pytest.raises(NotSupported) as caught:
        read(response(MANY_VALUES[name]()))

    assert caught.value.happened == "Shop sent more than 100,000 values."
    assert caught.value.meaning
    assert caught.value.todo


@pytest.mark.parametrize(
    "text",
    [
        "[" + ",".join(["[]"] * 4) + "]",
        "[[1, 2], [{ }]]",
        '{"a": 1, "b": [2], "c": [\n]}',
        '["a,b[{", "\\",[", "\\\\"]',
        "[1,2,3,4]",
    ],
)
def test_values_are_counted_wherever_they_are_and_not_in_strings(text):
    count = _count(read_json(text))

    assert read_json(text, count) == read_json(text)
    with pytest.raises(TooManyValues):
        read_json(text, count - 1)


def _count(value: object) -> int:
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return sum(1 + _count(item) for item in inside)


@pytest.mark.parametrize(
    "text",
    [
        '"' + '\\",' * 1_000_000,
        '""' * 1_000_000 + "," * 200_000,
        '["' + "," * 200_000,
        "[" + " " * 1_000_000,
        '"' * 1_000_001 + "," * 200_000,
        '"' + "\\," * 500_001 + "\\",
    ],
    ids=["escaped quotes", "strings", "open string", "blanks", "quotes", "escapes"],
)
def test_what_is_no_json_is_found_quickly(text):
    with pytest.raises(ValueError, match=r".") as caught:
        read_json(text, MAX_JSON_VALUES)

    assert not isinstance(caught.value, TooManyValues)


def test_a_long_text_full_of_commas_is_one_value():
    assert read_json('"' + "," * 1_000_000 + '"', 1) == "," * 1_000_000


@pytest.mark.parametrize(("size", "aside"), [(10, False), (1_000_000, True)])
async def test_long_answers_are_read_and_masked_aside(monkeypatch, size, aside):
    threads = []

    def noted(*given: Any) -> Any:
        threads.append(threading.current_thread())
        return read_json(*given)

    monkeypatch.setattr(request_actions, "read_json", noted)
    app = App(name="Shop", key="shop", supports_connections=True, api_base_url="")
    ctx: Any = Context(app=app, auth=CurrentAuth(data={"apiKey": "sk-live-123"}), http_factory=None, now=0)

    await set_response_item(ctx, response(b'["sk-live-123", "' + b"x" * size + b'"]'))

    assert ctx.action_output["data"] == ["•••", "x" * size]
    assert (threads[0] is not threading.main_thread()) == aside


@pytest.mark.parametrize(("size", "aside"), [(10, False), (1_000_000, True)])
async def test_large_json_is_read_beside_the_event_loop_before_an_app_asks_for_it(monkeypatch, size, aside):
    threads = []

    def noted(*given: Any) -> Any:
        threads.append(threading.current_thread() is not threading.main_thread())
        return read_json(*given)

    monkeypatch.setattr(request, "read_json", noted)
    async with third_party(Reply(body={"text": "x" * size})) as shop:
        factory = HttpFactory()
        app = App(name="Shop", key="shop", supports_connections=False, api_base_url="")
        answer = await Context(app=app, auth=CurrentAuth(data={}), http_factory=factory, now=0).http.get(
            shop.url
        )
        await factory.aclose()

    assert answer.json() == {"text": "x" * size}
    assert threads == [aside]
