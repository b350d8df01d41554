"""Synchronous webhooks: callers that wait for the response of their flow."""

import asyncio
import json
from collections import OrderedDict
from collections.abc import Collection

from patchbay.domain.base import ExecutionId, FlowId, Json
from patchbay.domain.executions import ExecutionState
from patchbay.domain.ports import NO_CONTENT, WEBHOOK_ERROR, WebhookResponse

MAX_REMEMBERED_RESPONSES = 500
"""The newest responses, kept in memory for callers that deliver the same event again. Later ones get 204."""

Event = tuple[FlowId, str]
"""A flow, and the internal ID of the event that was delivered to it."""
PendingResponse = asyncio.Future[WebhookResponse]


def error_response(status: int, *sentences: str) -> WebhookResponse:
    """An error response in the format of the HTTP API."""
    happened, meaning = sentences[0], " ".join(sentences[1:])
    body: Json = {
        "errors": {"general": [" ".join((happened, meaning)).strip()]},
        "meta": {"type": WEBHOOK_ERROR, "happened": happened, "meaning": meaning, "todo": ""},
    }
    text = json.dumps(body, ensure_ascii=False)
    return WebhookResponse(status=status, headers={"content-type": "application/json"}, body=text)


class PendingResponses:
    """The pending response of each run that callers wait for. The first response of a run counts."""

    def __init__(self) -> None:
        self._waiting: dict[ExecutionId, PendingResponse] = {}
        self._events: OrderedDict[Event, PendingResponse] = OrderedDict()
        self._closed = False

    def open(self) -> None:
        """Accept callers again, when the engine starts."""
        self._closed = False

    def expect(self, execution_id: ExecutionId) -> PendingResponse:
        """Create the pending response of a run.

        Any number of callers may await it, shielded from cancellation.
        """
        reply: PendingResponse = asyncio.get_running_loop().create_future()
        if self._closed:
            reply.set_result(_stopping_response())
        else:
            self._waiting[execution_id] = reply
        return reply

    def is_awaited(self, execution_id: ExecutionId) -> bool:
        """Whether a caller of this program waits for the response of an execution."""
        return execution_id in self._waiting

    def awaited(self, execution_ids: Collection[ExecutionId]) -> tuple[ExecutionId, ...]:
        """Those of these executions for whose response a caller waits; without IDs, all of them."""
        return tuple(each for each in self._waiting if not execution_ids or each in execution_ids)

    def discard(self, execution_id: ExecutionId) -> None:
        """Stop waiting for the response of an execution."""
        self._waiting.pop(execution_id, None)

    def remember(self, event: Event, reply: PendingResponse) -> None:
        """Cache the response for callers that deliver the same event again, even while it is pending."""
        self._events[event] = reply
        if len(self._events) > MAX_REMEMBERED_RESPONSES:
            self._events.popitem(last=False)

    def for_event(self, event: Event) -> PendingResponse | None:
        """The response to an earlier delivery of the event, while it is cached."""
        return self._events.get(event)

    def respond(self, execution_id: ExecutionId, response: WebhookResponse) -> None:
        """Deliver the response of an execution to its caller, if one is waiting."""
        reply = self._waiting.pop(execution_id, None)
        if reply is not None and not reply.done():
            reply.set_result(response)

    def on_run_stopped(self, execution_id: ExecutionId, state: ExecutionState, note: str | None) -> None:
        """Respond to callers that still wait, because the run has ended or started to wait."""
        if execution_id in self._waiting:
            self.respond(execution_id, _end_response(execution_id, state, note))

    def close(self) -> None:
        """Respond to all waiting callers, and to new ones immediately, when the engine stops."""
        self._closed = True
        self._events.clear()
        for execution_id in tuple(self._waiting):
            self.respond(execution_id, _stopping_response())


def _stopping_response() -> WebhookResponse:
    # Without Retry-After: the event is stored, and repeating it without an ID would run the flow twice.
    return error_response(
        503, "Patchbay is stopping.", "The event was accepted. The flow continues after the next start."
    )


def _end_response(execution_id: ExecutionId, state: ExecutionState, note: str | None) -> WebhookResponse:
    if state is ExecutionState.FILTERED:
        return error_response(422, "A condition of the flow didn't match.", note or "")
    if state is ExecutionState.FAILURE:
        # Without the third party's message: the caller of a webhook may be a stranger.
        return error_response(502, "A step of the flow failed.", f"The execution is {execution_id}.")
    if state is ExecutionState.CANCELLED:
        return error_response(409, "The run was cancelled.", f"The execution is {execution_id}.")
    return NO_CONTENT
