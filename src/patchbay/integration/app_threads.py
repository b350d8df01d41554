"""Runs the code of third-party apps in threads, so blocking code can't stall the event loop.

Each call gets a thread with its own event loop. Its use of Patchbay's services (HTTP, credentials, stored
values) runs on the main event loop. A cancelled call that doesn't end is abandoned.
"""

import asyncio
import contextlib
import contextvars
import ctypes
import functools
import inspect
import logging
import sys
import threading
import time
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from patchbay.domain.base import AppKey
from patchbay.domain.errors import Unreachable
from patchbay.integration.app_definition import App, Auth, Trigger
from patchbay.integration.request_actions import with_api_request

if TYPE_CHECKING:
    from patchbay.integration.context import Context

# Loading and checking apps: contain exits and endless loops of their code

T = TypeVar("T")


class AppCodeTimedOut(Exception):
    """The app's code didn't finish in time."""


class AppCodeExited(Exception):
    """The app's code tried to exit the process. `__cause__` is its own error."""


class _CallResult(Generic[T]):
    """The result of a call: a value or an error."""

    value: T
    error: BaseException | None = None
    ended = False


def run_contained(call: Callable[[], T], seconds: float) -> T:
    """Return the call's result. Raises its errors, `AppCodeExited` if it exits, or `AppCodeTimedOut`.

    It runs in its own thread, which is abandoned if it hangs. An abandoned thread gets an exception at its
    next Python instruction; native code can't be stopped.
    """
    result: _CallResult[T] = _CallResult()

    def run() -> None:
        try:
            result.value = call()
        except BaseException as error:  # noqa: BLE001 - passed to the caller
            result.error = error
        result.ended = True

    thread = threading.Thread(target=run, daemon=True, name="app-code")
    thread.start()
    thread.join(seconds)
    if not result.ended:
        if thread.ident is not None:
            # Raised at the thread's next instruction, so that an endless loop doesn't occupy a core.
            set_exception = ctypes.pythonapi.PyThreadState_SetAsyncExc
            set_exception(ctypes.c_ulong(thread.ident), ctypes.py_object(SystemExit))
        raise AppCodeTimedOut(f"It didn't finish within {seconds:g} seconds.")
    if isinstance(result.error, Exception):
        raise result.error
    if result.error is not None:
        raise AppCodeExited(f"It raised {type(result.error).__name__}.") from result.error
    return result.value


_log = logging.getLogger(__name__)

MAX_CALLS_PER_APP = 256
BLOCKED_SECONDS = 1.0
"""Code that doesn't return to its event loop for this long counts as blocking and is logged."""
TICK_SECONDS = 0.2
CANCEL_TIMEOUT_SECONDS = 1.0
"""How long a cancelled call may take to end before it is abandoned."""
WARN_INTERVAL_SECONDS = 600.0
"""Seconds between two log entries about the same event of an app."""


class LoopBridge:
    """Lets code in an app thread await coroutines on the main event loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self.closed = False
        """Set when the call is abandoned: its code can't use the main event loop any more."""

    async def run(self, work: Callable[[], Awaitable[T]]) -> T:
        """Return the result of `work`, awaited on the main event loop."""
        if self.closed:
            raise asyncio.CancelledError
        if asyncio.get_running_loop() is self._loop:
            return await work()

        async def run_there() -> T:
            return await work()

        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(run_there(), self._loop))

    def function(self, function: Any) -> Any:
        """Wrap a function so that an app thread can await it; None for None."""
        if function is None:
            return None

        async def call(*args: Any, **kwargs: Any) -> Any:
            return await self.run(lambda: function(*args, **kwargs))

        return call

    def attach(self, ctx: "Context") -> None:
        """Make a context usable in the app thread."""
        ctx.bridge = self
        ctx.auth.save = self.function(ctx.auth.save)
        ctx.flow.save_remote_webhook_id = self.function(ctx.flow.save_remote_webhook_id)
        ctx.find_seen_ids = self.function(ctx.find_seen_ids)
        ctx.datastore = _LoopProxy(ctx.datastore, self)
        for name in ("flows", "workers", "sandbox"):
            if (target := getattr(ctx, name)) is not None:
                setattr(ctx, name, _LoopProxy(target, self))


class _LoopProxy:
    """A proxy whose coroutine methods are awaited on the main event loop."""

    def __init__(self, target: Any, bridge: LoopBridge) -> None:
        self._target, self._bridge = target, bridge

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._target, name)
        return self._bridge.function(value) if inspect.iscoroutinefunction(value) else value


class _AppCall:
    """One call of app code in its own thread. `done` gets its result on the main event loop."""

    def __init__(
        self, app_key: AppKey, work: Callable[[], Awaitable[Any]], bridge: LoopBridge, folder: Path | None
    ) -> None:
        self._app_key = app_key
        self._work = work
        self._bridge = bridge
        self._folder = folder
        self._main_loop = asyncio.get_running_loop()
        self.done: asyncio.Future[Any] = self._main_loop.create_future()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[Any] | None = None
        self._cancelled = False
        self._last_tick = time.monotonic()
        self.longest_block = 0.0
        self.location = ""
        """File and line of the app's code that was running while it blocked."""
        run = functools.partial(contextvars.copy_context().run, self._run)
        self._thread = threading.Thread(target=run, daemon=True, name=f"app-{app_key}")

    def start(self, ended: Callable[[], None]) -> None:
        """Start the thread. `ended` is called on the main event loop when the thread ends, however late."""
        self._on_ended = ended
        self._thread.start()

    @property
    def blocked_seconds(self) -> float:
        """Seconds for which the code has been blocking its event loop."""
        return max(0.0, time.monotonic() - self._last_tick - TICK_SECONDS)

    def find_location(self) -> None:
        frame = sys._current_frames().get(self._thread.ident or 0)
        while frame is not None:
            path = Path(frame.f_code.co_filename)
            if self._app_key in path.parts or self._folder in path.parents:
                self.location = f"{path.name}, line {frame.f_lineno}"
                return
            frame = frame.f_back

    def cancel(self) -> None:
        self._cancelled = True
        if self._loop is not None and self._task is not None:
            with contextlib.suppress(RuntimeError):  # its loop has just been closed
                self._loop.call_soon_threadsafe(self._task.cancel)

    def abandon(self) -> None:
        """Disconnect the thread from the main loop, and raise in it at its next Python instruction."""
        self._bridge.closed = True
        if self._thread.ident is not None and self._thread.is_alive():
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(self._thread.ident), ctypes.py_object(SystemExit)
            )

    def _run(self) -> None:
        result, error = None, None
        try:
            with asyncio.Runner() as runner:
                self._loop = runner.get_loop()
                result = runner.run(self._main())
        except Exception as exception:  # noqa: BLE001  passed to the caller
            error = exception
        except BaseException as exception:  # noqa: BLE001  app code must not stop or cancel its caller
            error = AppCodeExited(f"It raised {type(exception).__name__}.")
        self.longest_block = max(self.longest_block, self.blocked_seconds)
        with contextlib.suppress(RuntimeError):  # the program has ended
            self._main_loop.call_soon_threadsafe(self._set_result, result, error)

    async def _main(self) -> Any:
        self._task = asyncio.current_task()
        if self._cancelled:
            raise asyncio.CancelledError
        self._tick()
        return await self._work()

    def _tick(self) -> None:
        self.longest_block = max(self.longest_block, self.blocked_seconds)
        self._last_tick = time.monotonic()
        if self._loop is not None:
            self._loop.call_later(TICK_SECONDS, self._tick)

    def _set_result(self, result: Any, error: Exception | None) -> None:
        self._on_ended()
        if self.done.done():
            return
        if error is None:
            self.done.set_result(result)
        else:
            self.done.set_exception(error)
            self.done.exception()  # the caller may have been cancelled


class AppThreads:
    """The threads of all third-party apps, with warnings about blocking ones."""

    def __init__(self) -> None:
        self.running: Counter[AppKey] = Counter()
        self._last_warnings: dict[tuple[AppKey, str], float] = {}

    async def call(self, function: Callable[..., Awaitable[T]], ctx: "Context", app: App, event: str) -> T:
        """Return `function(ctx)`. Raises its errors, or `Unreachable` if the app has too many calls."""
        if self.running[app.app_key] >= MAX_CALLS_PER_APP:
            raise Unreachable(
                f"{app.name} has {MAX_CALLS_PER_APP} unfinished calls.",
                meaning="Its code is probably blocking, so this call wasn't started.",
                todo="Try again later, or restart Patchbay.",
            )
        bridge = LoopBridge(asyncio.get_running_loop())
        bridge.attach(ctx)
        code = getattr(inspect.unwrap(function), "__code__", None)
        folder = Path(code.co_filename).parent if code is not None else None
        if folder == Path(__file__).parent:  # generated by a builder such as `polling_trigger`
            folder = None
        call = _AppCall(app.app_key, lambda: function(ctx), bridge, folder)
        self.running[app.app_key] += 1
        call.start(lambda: self.running.subtract((app.app_key,)))
        try:
            await self._watch(call, app, event)
        except asyncio.CancelledError:
            call.cancel()
            await asyncio.wait({call.done}, timeout=CANCEL_TIMEOUT_SECONDS)
            if not call.done.done():
                call.abandon()
                _log.warning("%s · %s didn't end when it was cancelled.", app.name, event)
            raise
        if call.longest_block >= BLOCKED_SECONDS:
            where = f" ({call.location})" if call.location else ""
            ctx.warnings.append(
                f"{app.name} · {event} blocked its thread for {call.longest_block:.0f} s{where}. "
                "Other runs weren't held up. Tell the app's author."
            )
        result: T = call.done.result()
        return result

    async def _watch(self, call: _AppCall, app: App, event: str) -> None:
        """Wait for the end of a call, and log blocking code meanwhile."""
        while not (await asyncio.wait({call.done}, timeout=TICK_SECONDS))[0]:
            if call.blocked_seconds >= BLOCKED_SECONDS and not call.location:
                call.find_location()
                now, key = time.monotonic(), (app.app_key, event)
                if now - self._last_warnings.get(key, -WARN_INTERVAL_SECONDS) >= WARN_INTERVAL_SECONDS:
                    self._last_warnings[key] = now
                    where = f" at {call.location}" if call.location else ""
                    _log.warning("%s · %s blocks its thread%s. Await instead.", app.name, event, where)

    def wrap(self, function: Any, app: App, event: str) -> Any:
        """Wrap an app's function so that it runs in a thread; None for None."""
        if function is None:
            return None

        @functools.wraps(function)
        async def run(ctx: "Context") -> Any:
            return await self.call(function, ctx, app, event)

        return run

    def wrap_watch(self, function: Any, app: App, event: str) -> Any:
        """Like `wrap`, for the async generator of a trigger's `watch`."""
        if function is None:
            return None

        @functools.wraps(function)
        async def watch(ctx: "Context") -> AsyncGenerator[None, None]:
            events: asyncio.Queue[bool] = asyncio.Queue()
            main_loop = asyncio.get_running_loop()

            async def listen(ctx: "Context") -> None:
                async for _ in function(ctx):
                    main_loop.call_soon_threadsafe(events.put_nowait, True)

            task = asyncio.ensure_future(self.call(listen, ctx, app, event))
            task.add_done_callback(lambda _: events.put_nowait(False))
            try:
                while await events.get():
                    yield
                await task
            finally:
                task.cancel()

        return watch


APP_THREADS = AppThreads()


def wrap_app_in_threads(app: App, threads: AppThreads = APP_THREADS) -> App:
    """The app with all its functions (triggers, actions, loaders, `Auth`) wrapped to run in threads.

    `before_request` and `error_in_response` run where the request is made, so in these threads as well. Its
    other plain functions run on the main event loop: `cron`, `request`, `on_interrupted`.
    """
    # The registry adds this action to every app without it; adding it here makes it run in threads too.
    app = with_api_request(app)
    return replace(
        app,
        auth=_wrap_auth(app, threads),
        triggers=tuple(_wrap_trigger(app, trigger, threads) for trigger in app.triggers),
        actions=tuple(replace(each, run=threads.wrap(each.run, app, each.name)) for each in app.actions),
        dynamic_data=tuple(
            replace(each, load=threads.wrap(each.load, app, each.key)) for each in app.dynamic_data
        ),
        dynamic_fields=tuple(
            replace(each, load=threads.wrap(each.load, app, each.key)) for each in app.dynamic_fields
        ),
    )


def _wrap_auth(app: App, threads: AppThreads) -> Auth | None:
    if app.auth is None:
        return None
    names = (
        "verify_credentials",
        "is_still_verified",
        "generate_auth_url",
        "refresh_token",
        "verify_webhook",
    )
    return replace(app.auth, **{name: threads.wrap(getattr(app.auth, name), app, name) for name in names})


def _wrap_trigger(app: App, trigger: Trigger, threads: AppThreads) -> Trigger:
    names = ("run", "test_run", "register_hook", "unregister_hook", "verify_webhook")
    changed = {name: threads.wrap(getattr(trigger, name), app, trigger.name) for name in names}
    return replace(trigger, **changed, watch=threads.wrap_watch(trigger.watch, app, trigger.name))
