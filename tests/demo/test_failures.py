"""The failures in the demo's history read like those that the real apps raise."""

import socket
from collections.abc import Callable

import httpx
import pytest
from aiosmtplib import SMTPResponse
from tests.support.storage_rows import NOW

from patchbay.demo.blueprint import FlowPlan, blueprint, failures
from patchbay.demo.history import make_sample_runs
from patchbay.demo.mail import DemoMailClient
from patchbay.demo.transport import DemoTransport
from patchbay.domain.base import StepId
from patchbay.domain.errors import AppError, ThirdPartyError
from patchbay.domain.variables import resolve
from patchbay.integration.http_factory import HttpFactory

WITHOUT_ADVICE = "deepl-456"
"""For a status that only DeepL has, Patchbay has no explanation; the history has one."""
RAISED: dict[str, Callable[[], Exception]] = {
    "hubspot-timeout": lambda: httpx.ReadTimeout("too slow"),
    "mattermost-down": lambda: _caused_by(socket.gaierror(socket.EAI_NONAME, "unknown")),
}


def _caused_by(cause: Exception) -> Exception:
    error = httpx.ConnectError("no connection")
    error.__cause__ = cause
    return error


def _uses() -> dict[str, tuple[FlowPlan, int]]:
    """A flow, and the position of a step, in which each failure happens."""
    plans = blueprint().flows
    listed = {weak.failure: (plan, weak.step) for plan in plans for weak in plan.fails}
    outages = {
        outage.failure: (plan, position)
        for outage in blueprint().outages
        for plan in plans
        if (position := plan.outage_step(outage.app))
    }
    return {**listed, **outages}


class FailingTransport(DemoTransport):
    """Answers what a step looks up with GET, and fails other requests (or, if set, all of them)."""

    def __init__(self, key: str, *, any_method: bool) -> None:
        super().__init__(lambda: NOW, delay_factor=0)
        self._key, self._any_method = key, any_method

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if request.method == "GET" and not self._any_method:
            return await super().handle_async_request(request)
        if self._key in RAISED:
            raise RAISED[self._key]()
        failure = failures()[self._key]
        assert failure.status is not None
        if isinstance(failure.response, str):
            return httpx.Response(failure.status, text=failure.response)
        return httpx.Response(failure.status, json=failure.response)


@pytest.mark.parametrize("key", sorted(failures()))
async def test_a_failure_of_the_history_is_one_of_the_app(apps, context, monkeypatch, key):
    plan, position = _uses()[key]
    step, failure = plan.steps[position - 1], failures()[key]
    step_ids = [StepId(str(number)) for number in range(1, len(plan.steps) + 1)]
    outputs = make_sample_runs(plan, step_ids, 1).runs[0].outputs
    ctx = context(step.app, {name: resolve(value, outputs) for name, value in step.parameters.items()})
    ctx.auth.can_renew = False
    if step.app == "smtp":
        _reject_recipients(monkeypatch, str(failure.said))
    elif step.app == "postgresql":
        monkeypatch.setattr("patchbay.apps.postgresql.driver.connect", _refuse)
        ctx.http_factory = HttpFactory(FailingTransport(key, any_method=True))
    else:
        ctx.http_factory = HttpFactory(FailingTransport(key, any_method=step.app == "http-request"))

    with pytest.raises(AppError) as caught:
        await apps.action(step.app, step.key).run(ctx)

    assert caught.value.happened == failure.happened
    assert caught.value.kind == failure.kind
    if key != WITHOUT_ADVICE:
        assert (caught.value.meaning, caught.value.todo) == (failure.meaning, failure.todo)
    if isinstance(caught.value, ThirdPartyError):
        assert (caught.value.app, caught.value.said) == (failure.app, failure.said)
        assert (caught.value.status, caught.value.details) == (failure.status, failure.response)


def _reject_recipients(monkeypatch: pytest.MonkeyPatch, said: str) -> None:
    code, _, message = said.partition(" ")
    answer = DemoMailClient.execute_command

    async def execute(client: DemoMailClient, *args: bytes, **options: object) -> SMTPResponse:
        if args[0] == b"RCPT":
            return SMTPResponse(int(code), message)
        return await answer(client, *args, **options)

    monkeypatch.setattr(DemoMailClient, "execute_command", execute)


async def _refuse(logins: object) -> None:
    raise ConnectionRefusedError
