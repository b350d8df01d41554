"""Flows that send and receive mail, in a whole local workspace with the real mail service."""

import asyncio
from collections.abc import Callable
from typing import Any

from tests.support.living_flows import change, publish, runs, steps
from tests.support.mail_service import ADA, GRACE, MailService
from tests.support.patience import PATIENCE
from tests.support.workspace import WorkspaceRuntime

from patchbay.domain.base import AppKey
from patchbay.domain.connections import Connection
from patchbay.domain.executions import Execution
from patchbay.domain.flows import Flow

WRONG = "planted-wrong-5512"
WAYS = [
    ("smtp", "smtp", False),
    ("smtp", "smtp", "starttls"),
    ("smtp", "smtps", True),
    ("imap", "imap", False),
    ("imap", "imap", "starttls"),
    ("imap", "imaps", True),
]
"""App, name of the port, and kind of encryption."""


async def connect(runtime: WorkspaceRuntime, server: MailService, app: str, **changes: Any) -> Connection:
    return await runtime.backend.add_connection(AppKey(app), server.account(app, **changes))


async def on_new_mail(runtime: WorkspaceRuntime, server: MailService, **parameters: Any) -> Flow:
    """A published flow that listens for mail and hands its subject on."""
    mailbox = await connect(runtime, server, "imap")
    new_mail = change("imap", "newMail", mailbox.id, **parameters)
    flow = await publish(runtime, new_mail, change("tools", "pass", text="{{step.{trigger}.subject}}"))
    await listening(server)
    return flow


async def listening(server: MailService) -> None:
    await eventually(lambda: server.idling() > 0)


async def eventually(holds: Callable[[], object], seconds: float = PATIENCE) -> None:
    async with asyncio.timeout(seconds):
        while not await asyncio.to_thread(holds):  # noqa: ASYNC110  only the server knows
            await asyncio.sleep(0.02)


async def subjects(runtime: WorkspaceRuntime, count: int, seconds: float = PATIENCE) -> list[str]:
    """What the executions were started with, oldest first."""
    found = [(await steps(runtime, one))[0].data_out for one in await runs(runtime, count, seconds)]
    return [str(item["subject"]) for item in reversed(found)]


async def send(runtime: WorkspaceRuntime, server: MailService, **parameters: Any) -> Execution:
    """The run of a published flow from a webhook to one message."""
    account = await connect(runtime, server, "smtp")
    parameters = {"fromEmail": ADA, "to": GRACE, "subject": "Hello", **parameters}
    flow = await publish(
        runtime, change("tools", "catch"), change("smtp", "sendEmail", account.id, **parameters)
    )
    await runtime.backend.run_flow(flow.id, {"start": True})
    [execution] = await runs(runtime, 1)
    return execution
