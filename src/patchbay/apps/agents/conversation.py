"""The conversation of an agent with its model: bounded in rounds, tokens, and size."""

import json
from dataclasses import dataclass, field

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.errors import AppError, ComputationStopped
from patchbay.domain.json_limits import nesting_exceeds, read_json
from patchbay.domain.tools import Tool
from patchbay.integration import Context
from patchbay.integration.chat_completions import RESPONSE_SECONDS
from patchbay.integration.values import as_text

from .agent import Agent

MAX_RESPONSE_TOKENS = 8_192
"""Max. tokens of one response, or what is left of the agent's limit."""
MAX_CALLS_PER_ROUND = 20
"""Further calls in one response are dropped, as if the model hadn't requested them."""
MAX_TOOL_OUTPUT = 20_000
"""Characters of a tool's output that the model gets."""
MAX_MESSAGES_LENGTH = 1_000_000
"""Characters of the conversation."""
MAX_RESPONSE_BYTES = 4 << 20
"""Size of a response of the model, with what isn't part of the conversation."""
_MAX_ARGUMENT_VALUES = 10_000
_MAX_NESTING = 100
"""How deeply lists and objects can be nested in a message, and in the arguments of a call."""
_CHARACTERS_PER_TOKEN = 4
"""For servers that don't report how many tokens they used."""


@dataclass
class Conversation:
    """The messages so far, and what they cost. `calls` are the tool calls, for the output of the step."""

    ctx: Context
    agent: Agent
    tools: dict[str, Tool]
    messages: list[Json] = field(default_factory=list)
    calls: list[Json] = field(default_factory=list)
    used_tokens: int = 0

    async def run(self, prompt: str) -> str:
        """Send the prompt, and call tools until the model responds with a text. Returns that text.

        Raises `ComputationStopped` at a limit of the agent.
        """
        if self.agent.instructions:
            self.messages.append({"role": "system", "content": self.agent.instructions})
        self.messages.append({"role": "user", "content": prompt})
        for _ in range(self.agent.max_rounds):
            message = await self._next_message()
            requested = message.get("tool_calls")
            if not isinstance(requested, list) or not requested:
                return as_text(message.get("content"))
            message["tool_calls"] = requested = requested[:MAX_CALLS_PER_ROUND]
            self.messages.append(message)
            for call in requested:
                self.messages.append(await self._call_tool(call))
        raise _limit_error(f"{self.agent.max_rounds} rounds", "Max. rounds")

    async def _next_message(self) -> JsonObject:
        """The next message of the model."""
        left = self.agent.max_tokens - self.used_tokens
        length = len(json.dumps(self.messages))
        if left <= 0:
            raise _limit_error(f"{self.agent.max_tokens:,} tokens", "Max. tokens")
        if length > MAX_MESSAGES_LENGTH:
            raise _limit_error(f"{MAX_MESSAGES_LENGTH:,} characters", "")
        body: JsonObject = {
            "model": self.agent.model,
            "messages": self.messages,
            "max_tokens": min(MAX_RESPONSE_TOKENS, left),
        }
        if self.tools:
            body["tools"] = [
                {
                    "type": "function",
                    "function": {
                        "name": name,
                        "description": tool.description,
                        "parameters": tool.input_schema,
                    },
                }
                for name, tool in self.tools.items()
            ]
        url = f"{api_address(self.ctx)}/chat/completions"
        received = await self.ctx.http.post(url, json=body, seconds=RESPONSE_SECONDS)
        if len(received.content) > MAX_RESPONSE_BYTES:
            raise _limit_error(f"{MAX_RESPONSE_BYTES >> 20} MB in one response", "")
        response = received.json()
        message = response["choices"][0]["message"]
        if nesting_exceeds(message, _MAX_NESTING):
            raise _limit_error(f"{_MAX_NESTING} levels of nesting in one response", "")
        self.used_tokens += _tokens_of(response, length + len(json.dumps(message)))
        return {
            "role": "assistant",
            "content": message.get("content"),
            **({"tool_calls": message["tool_calls"]} if message.get("tool_calls") else {}),
        }

    async def _call_tool(self, call: Json) -> JsonObject:
        """Call a tool that the model requested. Errors are passed on to the model."""
        name, arguments, output, is_error = "", None, "", True
        try:
            name, arguments = _requested(call)
            tool = self.tools.get(name)
            if tool is None:
                output = "There is no such tool."
            else:
                result = await self.ctx.call_tool(tool.flow_id, arguments)
                output, is_error = result.output or "The flow finished without an output.", result.is_error
        except AppError as error:
            output = error.text()
        except ValueError:
            output = "The arguments aren't a JSON object, or are nested too deeply."
        if len(output) > MAX_TOOL_OUTPUT:
            output = f"{output[:MAX_TOOL_OUTPUT]}\n[The rest was left out.]"
        self.calls.append({"tool": name, "arguments": arguments, "output": output, "isError": is_error})
        return _tool_message(call, f"Error: {output}" if is_error else output)


def api_address(ctx: Context) -> str:
    """The address of the server's API, with its version."""
    address = as_text(ctx.auth.data.get("apiUrl")).strip().rstrip("/")
    return f"{address.removesuffix('/v1')}/v1"


def _requested(call: Json) -> tuple[str, JsonObject]:
    """The name and the arguments of a requested call. Raises `ValueError` if they have another shape."""
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict):
        raise ValueError("no function")
    given = function.get("arguments")
    arguments = read_json(given or "{}", _MAX_ARGUMENT_VALUES) if isinstance(given, str) else given
    if arguments is None:
        arguments = {}
    if not isinstance(arguments, dict) or nesting_exceeds(arguments, _MAX_NESTING):
        raise ValueError("no object, or nested too deeply")
    return as_text(function.get("name")), arguments


def _tool_message(call: Json, content: str) -> JsonObject:
    call_id = call.get("id") if isinstance(call, dict) else None
    return {"role": "tool", "tool_call_id": as_text(call_id), "content": content}


def _tokens_of(response: JsonObject, length: int) -> int:
    """The tokens that a response took, with those of the conversation it continues."""
    usage = response.get("usage")
    total = usage.get("total_tokens") if isinstance(usage, dict) else None
    if isinstance(total, int) and not isinstance(total, bool) and total > 0:
        return total
    return 1 + length // _CHARACTERS_PER_TOKEN


def _limit_error(limit: str, field_label: str) -> ComputationStopped:
    return ComputationStopped(
        f"The agent reached its limit of {limit} without a result.",
        reason="output",
        meaning="Tools that it called may have changed something.",
        todo=f"Make the task smaller{f', or raise “{field_label}”' if field_label else ''}.",
    )
