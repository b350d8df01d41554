"""The trigger “New mail”."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from time import monotonic
from typing import TYPE_CHECKING

from patchbay.domain.errors import NotSupported
from patchbay.integration import YES_NO, Context, Trigger, dropdown, text
from patchbay.integration.values import as_bool

from ..folders import folder_choice, folder_of
from ..session import run_signed_in

if TYPE_CHECKING:
    from imapclient import IMAPClient

MAX_IDLE_SECONDS = 25 * 60.0
"""Servers end an IDLE after half an hour. A new connection also uses changed credentials."""
KEEPALIVE_SECONDS = 240.0
"""After this time without a notification, IDLE is restarted to check the connection."""


async def run(ctx: Context) -> None:
    """Push messages that are new since the last poll, newest first. The first poll only records its place."""
    from ..reading import push_messages
    from ..search import MailSearch

    found = await run_signed_in(ctx, MailSearch.of(ctx))
    await push_messages(ctx, found, with_content=as_bool(ctx.parameters.get("withContent")))


async def watch(ctx: Context) -> AsyncGenerator[None, None]:
    """Keep a connection in IDLE, and yield when the server reports new messages."""
    loop, changed = asyncio.get_running_loop(), asyncio.Event()
    folder = folder_of(ctx.parameters)

    def on_new_mail() -> None:
        loop.call_soon_threadsafe(changed.set)

    listening = asyncio.create_task(
        run_signed_in(ctx, lambda client: _listen(client, folder, on_new_mail), seconds=None)
    )
    listening.add_done_callback(lambda _: changed.set())
    try:
        while True:
            await changed.wait()
            changed.clear()
            if listening.done():
                listening.result()
                return
            yield
    finally:
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)


def _listen(client: "IMAPClient", folder: str, on_new_mail: Callable[[], None]) -> None:
    """Listen, in the connection's thread, until it is cut or has to be renewed."""
    if not client.has_capability("IDLE"):
        raise NotSupported("This mail server doesn't support IDLE.", feature="IDLE")
    client.select_folder(folder, readonly=True)
    client.idle()
    on_new_mail()
    ends_at = monotonic() + MAX_IDLE_SECONDS
    while (remaining_seconds := ends_at - monotonic()) > 0:
        responses = client.idle_check(timeout=min(remaining_seconds, KEEPALIVE_SECONDS))
        if any(len(line) > 1 and line[1] == b"EXISTS" for line in responses):
            on_new_mail()
        elif not responses:
            client.idle_done()
            client.idle()
    client.idle_done()


new_mail = Trigger(
    key="newMail",
    name="New mail",
    description="Starts when a message arrives in a folder; within seconds if the server supports IDLE.",
    arguments=(
        folder_choice(required=False),
        text("from", "From contains", variables=False, description="Part of the sender's name or address."),
        text("subject", "Subject contains", variables=False),
        dropdown("unreadOnly", "Only unread", YES_NO, value=False),
        dropdown(
            "withContent",
            "Include attachment content",
            YES_NO,
            value=False,
            description="Base64, up to 10 MB each and 15 MB in total. Names and sizes are always included.",
        ),
    ),
    run=run,
    watch=watch,
    source=("folder",),
    poll_interval=5,
)
