"""Callers that wait for their flow's own answer (synchronous webhooks)."""

import asyncio
import json
from collections import OrderedDict

from patchbay.domain.base import ExecutionId, FlowId, Json
from patchbay.domain.executions import ExecutionState
from patchbay.domain.ports import WEBHOOK_ERROR, WebhookAnswer

NO_CONTENT = WebhookAnswer()
REMEMBERED = 500
"""How many answers are kept for callers that deliver the same event again."""

Event = tuple[FlowId, str]
"""A flow, and the internal id of what was delivered to it."""
Reply = asyncio.Future[WebhookAnswer]


def in_words(status: int, *sentences: str) -> WebhookAnswer:
    """An answer in the error shape of our interface."""
    happened, meaning = sentences[0], " ".join(sentences[1:])
    body: Json = {
        "errors": {"general": [" ".join((happened, meaning)).strip()]},
        "meta": {"type": WEBHOOK_ERROR, "happened": happened, "meaning": meaning, "todo": ""},
    }
    text = json.dumps(body, ensure_ascii=False)
    return WebhookAnswer(status=status, headers={"content-type": "application/json"}, body=text)


class Replies:
    """One reply per run that somebody waits for; the first answer of a run counts."""

    def __init__(self) -> None:
        self._waiting: dict[ExecutionId, Reply] = {}
        self._events: OrderedDict[Event, Reply] = OrderedDict()
        self._closed = False

    def open(self) -> None:
        """The engine starts: runs answer again."""
        self._closed = False

    def expect(self, execution_id: ExecutionId) -> Reply:
        """Any number of callers may wait for it; shield it from their giving up."""
        reply: Reply = asyncio.get_running_loop().create_future()
        if self._closed:
            reply.set_result(_stopping())
        else:
            self._waiting[execution_id] = reply
        return reply

    def forget(self, execution_id: ExecutionId) -> None:
        self._waiting.pop(execution_id, None)

    def remember(self, event: Event, reply: Reply) -> None:
        """Keep the reply for those who deliver the same event again, also while it is still to come."""
        self._events[event] = reply
        if len(self._events) > REMEMBERED:
            self._events.popitem(last=False)

    def of_event(self, event: Event) -> Reply | None:
        """The reply to an event delivered before, as long as it is remembered."""
        return self._events.get(event)

    def answer(self, execution_id: ExecutionId, answer: WebhookAnswer) -> None:
        reply = self._waiting.pop(execution_id, None)
        if reply is not None and not reply.done():
            reply.set_result(answer)

    def moved(self, execution_id: ExecutionId, state: ExecutionState, note: str | None) -> None:
        """The run stopped going on for now: answer whoever still waits."""
        if execution_id in self._waiting:
            self.answer(execution_id, _ending(execution_id, state, note))

    def close(self) -> None:
        """The engine stops: answer everybody who waits, and from now on at once, as no run does any more."""
        self._closed = True
        self._events.clear()
        for execution_id in tuple(self._waiting):
            self.answer(execution_id, _stopping())


def _stopping() -> WebhookAnswer:
    # Without Retry-After: the event is stored, and a sender that repeats it unnamed would run the flow twice.
    return in_words(
        503, "Patchbay is stopping.", "The event was accepted; the flow goes on after the next start."
    )


def _ending(execution_id: ExecutionId, state: ExecutionState, note: str | None) -> WebhookAnswer:
    if state is ExecutionState.FILTERED:
        return in_words(422, "A condition of the flow did not match.", note or "")
    if state is ExecutionState.FAILURE:
        # The third party's words stay inside: the caller of a webhook is a stranger.
        return in_words(502, "A step of the flow failed.", f"The execution is {execution_id}.")
    if state is ExecutionState.CANCELLED:
        return in_words(409, "The run was cancelled.", f"The execution is {execution_id}.")
    return NO_CONTENT
