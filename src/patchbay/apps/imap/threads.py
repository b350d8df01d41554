"""Runs blocking library code in threads."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from threading import Thread
from typing import TypeVar

T = TypeVar("T")


async def run_in_thread(work: Callable[[], T], interrupt: Callable[[], None]) -> T:
    """Run `work` in its own thread. If the caller is cancelled, `interrupt` is called to end it soon.

    Not in the loop's thread pool, which is small: a watch blocks its thread for minutes.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def finish(result: T | None, error: BaseException | None) -> None:
        if done.done():
            return
        if error is not None:
            done.set_exception(error)
        else:
            done.set_result(result)  # type: ignore[arg-type]  # None only where T is None

    def run() -> None:
        result: T | None = None
        problem: BaseException | None = None
        try:
            result = work()
        except BaseException as error:  # noqa: BLE001  raised again in the caller
            problem = error
        with suppress(RuntimeError):  # the loop may be closed by now
            loop.call_soon_threadsafe(finish, result, problem)

    Thread(target=run, daemon=True, name="imap").start()
    try:
        return await done
    except asyncio.CancelledError:
        interrupt()
        raise
