"""Builds prompts for language models: services that share OpenAI's chat completions API, or resemble it.

An action is described by its request, the roles of messages, and its settings:

    chat_completion(key="sendChatPrompt", name="Send chat prompt", settings=(TEMPERATURE, MAX_TOKENS))
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.fields import Argument
from patchbay.integration.app_definition import Action, DynamicData, OnInterrupted
from patchbay.integration.builders import option_list, read_result
from patchbay.integration.context import Context
from patchbay.integration.described_requests import prepare, values_of
from patchbay.integration.fields import dropdown, rows, text
from patchbay.integration.values import parameter_error, text_of

RESPONSE_SECONDS = 300
"""Time limit of a request: models that reason take minutes, and responses aren't streamed."""
MODEL = dropdown("model", "Model", source="listModels", required=True, variables=True)
ROLES = ("system", "assistant", "user")
_ROLE_LABELS = {"system": "System", "assistant": "Assistant", "user": "User"}


@dataclass(frozen=True)
class Setting:
    """An argument that controls a response, the key it's sent as, and the template of its value."""

    argument: Argument
    sent_as: str
    template: str

    def but(self, *, sent_as: str = "", **changes: Any) -> "Setting":
        """A copy that is sent under another key, or whose argument differs, such as `required=True`."""
        return replace(
            self, argument=self.argument.model_copy(update=changes), sent_as=sent_as or self.sent_as
        )


def _number(key: str, label: str, sent_as: str, description: str) -> Setting:
    return Setting(text(key, label, description=description), sent_as, f"{{{key}:number}}")


TEMPERATURE = _number(
    "temperature",
    "Temperature",
    "temperature",
    "How varied responses are: 0 gives nearly the same one each time, higher values more surprising ones.",
)
MAX_TOKENS = _number(
    "maxTokens",
    "Max. tokens",
    "max_tokens",
    "Maximum length of the response. A token is about four characters of English.",
)
TOP_P = _number(
    "topP",
    "Top P",
    "top_p",
    "Only the most likely tokens that together reach this probability are considered, such as 0.9. "
    "Change either this or the temperature.",
)
TOP_K = _number("topK", "Top K", "top_k", "Only this many of the most likely tokens are considered.")
FREQUENCY_PENALTY = _number(
    "frequencyPenalty",
    "Frequency penalty",
    "frequency_penalty",
    "From -2 to 2. The higher, the less the response repeats the same words.",
)
PRESENCE_PENALTY = _number(
    "presencePenalty",
    "Presence penalty",
    "presence_penalty",
    "From -2 to 2. The higher, the more the response turns to new topics.",
)
STOP_SEQUENCE = Setting(
    text("stopSequence", "Stop sequence", description="The response ends before this text."),
    "stop",
    "{stopSequence}",
)
STOP_SEQUENCES = Setting(
    rows(
        "stopSequences",
        "Stop sequences",
        (text("stopSequence", "Stop sequence"),),
        description="The response ends before the first of these texts.",
        add="Add stop sequence",
    ),
    "stop",
    "{stopSequences[].stopSequence}",
)

_RANDOMNESS = (TOP_P, FREQUENCY_PENALTY, PRESENCE_PENALTY)
CHAT_SETTINGS = (TEMPERATURE, MAX_TOKENS, STOP_SEQUENCES, *_RANDOMNESS)
OPENAI_TEXT_SETTINGS = (TEMPERATURE, MAX_TOKENS, STOP_SEQUENCE, *_RANDOMNESS)
OPENAI_CHAT_SETTINGS = (
    TEMPERATURE,
    MAX_TOKENS.but(sent_as="max_completion_tokens"),
    STOP_SEQUENCE,
    *_RANDOMNESS,
)


def chat_completion(
    *,
    key: str,
    name: str,
    description: str = "Sends a conversation to a model and outputs its response.",
    request: str = "POST /v1/chat/completions",
    model: Argument | None = MODEL,
    roles: Sequence[str] = ROLES,
    settings: Sequence[Setting] = (),
    body: Mapping[str, Json] | None = None,
) -> Action:
    """An action that sends messages to a model and outputs the response.

    `model` is the argument to choose one; None if the address or `body` names it. `body` has more values.
    """
    messages = messages_argument(roles)
    return _prompt_action(key, name, description, request, model, messages, settings, body)


def messages_argument(roles: Sequence[str] = ROLES) -> Argument:
    """The rows of a conversation, with the roles that messages can have. See `chat_messages`."""
    return rows(
        "messages",
        "Messages",
        (
            dropdown("role", "Role", [(role, _ROLE_LABELS[role]) for role in roles], required=True),
            text("content", "Content", required=True, multiline=True),
        ),
        required=True,
        value=[{"role": "user", "content": ""}],
        add="Add message",
    )


def text_completion(
    *,
    key: str,
    name: str,
    description: str = "Sends a text to a model that continues it, and outputs the response.",
    request: str = "POST /v1/completions",
    query: Mapping[str, Json] | None = None,
    model: Argument | None = MODEL,
    settings: Sequence[Setting] = (),
) -> Action:
    """An action that sends a prompt to a model that continues texts. `model` as in `chat_completion`."""
    prompt = text("prompt", "Prompt", required=True, multiline=True)
    return _prompt_action(key, name, description, request, model, prompt, settings, query=query)


async def send_prompt_as_chat(
    ctx: Context, request: str, settings: Sequence[Setting], body: Mapping[str, Json]
) -> None:
    """Send the argument `prompt` as the only message of a chat, for models that can't continue texts.

    In the output, the text of each choice is also at `text`, where flows made for older models expect it.
    """
    template = {**body, **{setting.sent_as: setting.template for setting in settings}}
    message: Json = {"role": "user", "content": text_of(ctx.parameters, "prompt")}
    prepared = prepare(request, values_of(ctx), body=template)
    whole = replace(prepared, body={**(prepared.body or {}), "messages": [message]}, seconds=RESPONSE_SECONDS)
    result = (await whole.send(ctx)).json()
    choices: list[Json] = [{**choice, "text": choice["message"]["content"]} for choice in result["choices"]]
    ctx.set_action_item({**result, "choices": choices})


def model_list(line: str = "/v1/models") -> DynamicData:
    """The models of a service as `listModels`, by ID."""
    return option_list("listModels", line, at="data", label="{id}")


def _prompt_action(
    key: str,
    name: str,
    description: str,
    request: str,
    model: Argument | None,
    content: Argument,
    settings: Sequence[Setting],
    body: Mapping[str, Json] | None = None,
    query: Mapping[str, Json] | None = None,
) -> Action:
    """An action with these arguments. It may be repeated: a prompt changes nothing at the service."""
    template = {**(body or {}), **{setting.sent_as: setting.template for setting in settings}}
    if model is not None:
        template[model.key] = f"{{{model.key}}}"

    async def run(ctx: Context) -> None:
        prompt: JsonObject = (
            {"messages": chat_messages(ctx.parameters)}
            if content.key == "messages"
            else {content.key: text_of(ctx.parameters, content.key)}
        )
        prepared = prepare(request, values_of(ctx), query=query, body=template)
        whole = replace(prepared, body={**(prepared.body or {}), **prompt}, seconds=RESPONSE_SECONDS)
        ctx.set_action_item(read_result(await whole.send(ctx)))

    chosen = (content,) if model is None else (model, content)
    return Action(
        key=key,
        name=name,
        description=description,
        arguments=(*chosen, *(setting.argument for setting in settings)),
        run=run,
        on_interrupted=OnInterrupted.REPEAT,
    )


def chat_messages(parameters: JsonObject) -> list[Json]:
    """The entered messages that have content. Raises `ValidationFailed` if none has."""
    entered = parameters.get("messages")
    messages: list[Json] = [
        {"role": text_of(row, "role"), "content": text_of(row, "content")}
        for row in (entered if isinstance(entered, list) else [])
        if isinstance(row, dict) and text_of(row, "content").strip()
    ]
    if not messages:
        raise parameter_error("messages", "Enter a message.")
    return messages
