"""Prompts for language models, built from descriptions."""

from typing import Any

import httpx
import pytest

from patchbay.domain.base import Json
from patchbay.domain.errors import ValidationFailed
from patchbay.integration import Action, App, OnInterrupted, bearer, dropdown
from patchbay.integration.chat_completions import (
    FREQUENCY_PENALTY,
    MAX_TOKENS,
    RESPONSE_SECONDS,
    STOP_SEQUENCE,
    STOP_SEQUENCES,
    TEMPERATURE,
    chat_completion,
    model_list,
    text_completion,
)
from patchbay.integration.trial import Trial

HELLO: list[Json] = [{"role": "user", "content": "Hello"}]
REPLY = {"choices": [{"message": {"role": "assistant", "content": "Hi!"}}]}


class Model(Trial):
    """A language model with one action, which records its time limits."""

    def __init__(self, action: Action | None = None, answers: Any = None) -> None:
        app = App(
            name="Model",
            key="model",
            api_base_url="https://model.example",
            before_request=[bearer()],
            actions=[action] if action else [],
            dynamic_data=[model_list()],
        )
        super().__init__(app, {"deployment": "mine"}, answers, otherwise=(200, REPLY))
        self.limits: list[float] = []

    def _respond(self, request: httpx.Request) -> httpx.Response:
        self.limits.append(request.extensions["timeout"]["read"])
        return super()._respond(request)

    async def prompt(self, **parameters: Any) -> Any:
        """The body that was sent for these parameters."""
        assert await self.action("chat", **parameters) == REPLY
        return self.requests[0].json


async def test_a_chat_is_sent_with_its_settings_as_numbers():
    model = Model(chat_completion(key="chat", name="Chat", settings=(TEMPERATURE, MAX_TOKENS, STOP_SEQUENCE)))

    sent = await model.prompt(
        model="small-1", messages=HELLO, temperature="0.5", maxTokens="100", stopSequence="END"
    )

    assert sent == {
        "model": "small-1",
        "messages": HELLO,
        "temperature": 0.5,
        "max_tokens": 100,
        "stop": "END",
    }
    assert model.requests[0].path == "/v1/chat/completions"
    assert model.limits == [RESPONSE_SECONDS]


async def test_empty_settings_are_not_sent_but_zero_is():
    settings = (TEMPERATURE, FREQUENCY_PENALTY, STOP_SEQUENCES)
    model = Model(chat_completion(key="chat", name="Chat", settings=settings))

    sent = await model.prompt(
        model="small-1", messages=HELLO, temperature="0", frequencyPenalty="", stopSequences=[{}]
    )

    assert sent == {"model": "small-1", "messages": HELLO, "temperature": 0}


async def test_stop_sequences_of_rows_become_a_list():
    model = Model(chat_completion(key="chat", name="Chat", settings=(STOP_SEQUENCES.but(sent_as="ends"),)))
    stops = [{"stopSequence": "END"}, {"stopSequence": ""}, {"stopSequence": "STOP"}]

    assert (await model.prompt(model="m", messages=HELLO, stopSequences=stops))["ends"] == ["END", "STOP"]


async def test_only_role_and_content_of_messages_with_content_are_sent():
    model = Model(chat_completion(key="chat", name="Chat"))
    messages = [
        {"role": "system", "body": ""},
        {"role": "user", "content": "Hi {there}", "body": "x"},
        "text",
    ]

    assert (await model.prompt(model="m", messages=messages))["messages"] == [
        {"role": "user", "content": "Hi {there}"}
    ]


@pytest.mark.parametrize("messages", [None, [], [{"role": "user", "content": " "}], "Hello"])
async def test_a_chat_without_content_is_rejected_before_it_is_sent(messages: Any):
    model = Model(chat_completion(key="chat", name="Chat"))

    with pytest.raises(ValidationFailed) as caught:
        await model.action("chat", model="m", messages=messages)

    assert [*caught.value.by_field] == ["messages"]
    assert model.requests == []


async def test_a_setting_that_is_no_number_is_rejected():
    model = Model(chat_completion(key="chat", name="Chat", settings=(TEMPERATURE,)))

    with pytest.raises(ValidationFailed, match="warm"):
        await model.action("chat", model="m", messages=HELLO, temperature="warm")


async def test_a_text_is_continued_at_an_address_of_the_connection():
    action = text_completion(
        key="chat",
        name="Continue",
        request="POST /deployments/{auth.deployment}/completions",
        query={"api-version": "1"},
        model=None,
        settings=(MAX_TOKENS,),
    )
    model = Model(action)

    assert await model.prompt(prompt="Once", maxTokens="5") == {"prompt": "Once", "max_tokens": 5}
    assert model.requests[0].path == "/deployments/mine/completions"
    assert model.requests[0].query == {"api-version": "1"}
    assert [argument.key for argument in action.arguments] == ["prompt", "maxTokens"]


async def test_a_chat_can_name_its_model_in_the_body():
    model = Model(chat_completion(key="chat", name="Chat", model=None, body={"model": "{auth.deployment}"}))

    assert await model.prompt(messages=HELLO) == {"model": "mine", "messages": HELLO}


def test_the_form_of_a_chat_offers_its_models_roles_and_settings():
    action = chat_completion(
        key="chat",
        name="Chat",
        model=dropdown("model", "Model", ("a", "b"), required=True),
        roles=("system", "user"),
        settings=(MAX_TOKENS.but(required=True), TEMPERATURE.but(value="1.0")),
    )
    model, messages, max_tokens, temperature = action.arguments

    assert [option.value for option in model.options] == ["a", "b"]
    assert [option.value for option in messages.fields[0].options] == ["system", "user"]
    assert (max_tokens.required, temperature.required, temperature.value) == (True, False, "1.0")
    assert action.interruption_policy({}) is OnInterrupted.REPEAT


async def test_models_are_listed_by_id():
    model = Model(answers={"GET /v1/models": (200, {"data": [{"id": "small-1"}, {"id": "large-1"}]})})

    found = await model.options("listModels")

    assert [(option.label, option.value) for option in found] == [
        ("large-1", "large-1"),
        ("small-1", "small-1"),
    ]
