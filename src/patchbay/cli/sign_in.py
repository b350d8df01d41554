"""Connecting an app in the browser from a terminal: the address is told, then the answer is waited for."""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

from patchbay.cli import output
from patchbay.domain.backend import Backend
from patchbay.domain.base import AppKey, JsonObject
from patchbay.domain.connections import Connection, SignIn
from patchbay.domain.errors import AppError

Listen = Callable[[], Awaitable[None]]


async def connect(backend: Backend, app_key: AppKey, values: JsonObject, listen: Listen) -> Connection:
    """Begin a sign-in and wait until the browser came back. `listen` makes sure that somebody hears it."""
    await listen()
    began = await backend.begin_sign_in(app_key, values)
    output.print_message(_instructions(began))
    with _accept_pasted_address(backend, began):
        try:
            return await backend.finish_sign_in(began.id)
        except asyncio.CancelledError:
            await backend.cancel_sign_in(began.id)
            raise


def _instructions(began: SignIn) -> str:
    if began.device is not None:
        page, code = began.device.verification_url, began.device.user_code
        return f"Open this page on any device and enter the code {code}:\n\n    {page}\n\nWaiting…"
    lines = [f"Open this address in a browser and sign in there:\n\n    {began.url}\n"]
    if began.notice:
        lines.append(began.notice)
    lines.append(f"The browser comes back to {began.redirect_url}.")
    if sys.stdin.isatty():
        lines.append("If it cannot, paste the address it ends at here and press Enter.")
    return "\n".join([*lines, "Waiting…"])


@contextmanager
def _accept_pasted_address(backend: Backend, began: SignIn) -> Iterator[None]:
    """Meanwhile take an address pasted into the terminal, where the system can wait for both."""
    loop = asyncio.get_running_loop()
    tasks: set[asyncio.Task[None]] = set()

    async def submit_address(address: str) -> None:
        try:
            await backend.submit_callback(began.id, address)
        except AppError as error:
            output.print_message(error.text())

    def read() -> None:
        if address := sys.stdin.readline().strip():
            tasks.add(loop.create_task(submit_address(address)))
        else:
            loop.remove_reader(sys.stdin)

    listens = began.device is None and sys.stdin.isatty() and sys.platform != "win32"
    if listens:
        loop.add_reader(sys.stdin, read)
    try:
        yield
    finally:
        if listens:
            loop.remove_reader(sys.stdin)
