"""Callers that wait for their flow's own answer (synchronous webhooks)."""

import asyncio
import json
from collections import OrderedDict

from patchbay.domain.base import ExecutionId, FlowId, Json
from patchbay.domain.executions import ExecutionState
from patchbay.domain.ports import WEBHOOK_ERROR, WebhookResponse

NO_CONTENT = WebhookResponse()
MAX_REMEMBERED_RESPONSES = 500
"""How many answers are kept for callers that deliver the same event again."""

Event = tuple[FlowId, str]
"""A flow, and the internal id of what was delivered to it."""
PendingResponse = asyncio.Future[WebhookResponse]


def error_response(status: int, *sentences: str) -> WebhookResponse:
    """An answer in the error shape of our interface."""
    happened, meaning = sentences[0], " ".join(sentences[1:])
    body: Json = {
        "errors": {"general": [" ".join((happened, meaning)).strip()]},
        "meta": {"type": WEBHOOK_ERROR, "happened": happened, "meaning": meaning, "todo": ""},
    }
    text = json.dumps(body, ensure_ascii=False)
    return WebhookResponse(status=status, headers={"content-type": "application/json"}, body=text)


class PendingResponses:
    """One reply per run that somebody waits for; the first answer of a run counts."""

    def __init__(self) -> None:
        self._waiting: dict[ExecutionId, PendingResponse] = {}
        self._events: OrderedDict[Event, PendingResponse] = OrderedDict()
        self._closed = False

    def open(self) -> None:
        """The engine starts: runs answer again."""
        self._closed = False

    def expect(self, execution_id: ExecutionId) -> PendingResponse:
        """Any number of callers may wait for it; shield it from their giving up."""
        reply: PendingResponse = asyncio.get_running_loop().create_future()
        if self._closed:
            reply.set_result(_stopping_response())
        else:
            self._waiting[execution_id] = reply
        return reply

    def forget(self, execution_id: ExecutionId) -> None:
        self._waiting.pop(execution_id, None)

    def remember(self, event: Event, reply: PendingResponse) -> None:
        """Keep the reply for those who deliver the same event again, also while it is still to come."""
        self._events[event] = reply
        if len(self._events) > MAX_REMEMBERED_RESPONSES:
            self._events.popitem(last=False)

    def for_event(self, event: Event) -> PendingResponse | None:
        """The reply to an event delivered before, as long as it is remembered."""
        return self._events.get(event)

    def answer(self, execution_id: ExecutionId, answer: WebhookResponse) -> None:
        reply = self._waiting.pop(execution_id, None)
        if reply is not None and not reply.done():
            reply.set_result(answer)

    def on_run_stopped(self, execution_id: ExecutionId, state: ExecutionState, note: str | None) -> None:
        """The run stopped going on for now: answer whoever still waits."""
        if execution_id in self._waiting:
            self.answer(execution_id, _end_response(execution_id, state, note))

    def close(self) -> None:
        """The engine stops: answer everybody who waits, and from now on at once, as no run does any more."""
        self._closed = True
        self._events.clear()
        for execution_id in tuple(self._waiting):
            self.answer(execution_id, _stopping_response())


def _stopping_response() -> WebhookResponse:
    # Without Retry-After: the event is stored, and a sender that repeats it unnamed would run the flow twice.
    return error_response(
        503, "Patchbay is stopping.", "The event was accepted; the flow goes on after the next start."
    )


def _end_response(execution_id: ExecutionId, state: ExecutionState, note: str | None) -> WebhookResponse:
    if state is ExecutionState.FILTERED:
        return error_response(422, "A condition of the flow did not match.", note or "")
    if state is ExecutionState.FAILURE:
        # The third party's words stay inside: the caller of a webhook is a stranger.
        return error_response(502, "A step of the flow failed.", f"The execution is {execution_id}.")
    if state is ExecutionState.CANCELLED:
        return error_response(409, "The run was cancelled.", f"The execution is {execution_id}.")
    return NO_CONTENT
