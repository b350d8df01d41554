"""Callers that wait for their flow's own answer (synchronous webhooks)."""

import asyncio
import json

from patchbay.domain.base import ExecutionId, Json
from patchbay.domain.executions import ExecutionState
from patchbay.domain.ports import WebhookAnswer

NO_CONTENT = WebhookAnswer()


def in_words(status: int, *sentences: str) -> WebhookAnswer:
    """An answer in the error shape of our interface."""
    body: Json = {"errors": {"general": [" ".join(sentences)]}, "meta": {"type": "WebhookError"}}
    text = json.dumps(body, ensure_ascii=False)
    return WebhookAnswer(status=status, headers={"content-type": "application/json"}, body=text)


class Replies:
    """One future per waiting caller; the first answer of a run counts."""

    def __init__(self) -> None:
        self._waiting: dict[ExecutionId, asyncio.Future[WebhookAnswer]] = {}

    def expect(self, execution_id: ExecutionId) -> asyncio.Future[WebhookAnswer]:
        future: asyncio.Future[WebhookAnswer] = asyncio.get_running_loop().create_future()
        self._waiting[execution_id] = future
        return future

    def forget(self, execution_id: ExecutionId) -> None:
        self._waiting.pop(execution_id, None)

    def answer(self, execution_id: ExecutionId, answer: WebhookAnswer) -> None:
        future = self._waiting.get(execution_id)
        if future is not None and not future.done():
            future.set_result(answer)

    def moved(self, execution_id: ExecutionId, state: ExecutionState, note: str | None) -> None:
        """The run stopped going on for now: answer whoever still waits."""
        if execution_id in self._waiting:
            self.answer(execution_id, _ending(execution_id, state, note))

    def close(self) -> None:
        """The engine stops: nobody will answer any more."""
        for execution_id in tuple(self._waiting):
            self.answer(
                execution_id,
                in_words(
                    503, "Patchbay is stopping.", "The event was accepted and is run after the next start."
                ),
            )


def _ending(execution_id: ExecutionId, state: ExecutionState, note: str | None) -> WebhookAnswer:
    if state is ExecutionState.FILTERED:
        return in_words(422, "A condition of the flow did not match.", note or "")
    if state is ExecutionState.FAILURE:
        # The third party's words stay inside: the caller of a webhook is a stranger.
        return in_words(502, "A step of the flow failed.", f"The execution is {execution_id}.")
    return NO_CONTENT
