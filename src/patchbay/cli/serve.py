"""`patchbay serve`: runs the server without a window until it is stopped."""

import argparse
import asyncio
import contextlib
import signal

from patchbay.bootstrap.listen_options import ListenOptions, listen_options_from
from patchbay.bootstrap.local import LocalWorkspace, open_local
from patchbay.bootstrap.workspace_location import record_server
from patchbay.bootstrap.workspace_runtime import WorkspaceRuntime
from patchbay.cli import output
from patchbay.cli.database_option import database_arguments
from patchbay.domain.errors import AppError, Conflict, SecretsUnavailable
from patchbay.domain.outgoing import OutgoingMode
from patchbay.domain.peers import ALL_FLOWS, NO_FLOWS
from patchbay.domain.ports import KeyStoreKind
from patchbay.platform.exit_watchdog import EXIT_SECONDS, ExitWatchdog
from patchbay.platform.interrupts import interrupt_signals
from patchbay.platform.paths import AppPaths
from patchbay.platform.process_limits import tune_garbage_collection
from patchbay.platform.service_manager import ServiceManager
from patchbay.platform.settings import Service, SettingsFile
from patchbay.service.secret_store import TRANSIENT_REASONS

INTERRUPTED = 130
CLOSE_NOTICE_SECONDS = 1.0
"""Delay after which a message says why closing takes so long."""
SAFE_MODE_NOTICE = """\
all runs are paused (--safe), also after a restart: cancel the run that crashes the server with
“patchbay execution cancel ID”, then resume runs with “patchbay engine resume”"""

_TRUSTS_EVERYONE_WARNING = """\
Warning: --trusted-proxy names all addresses, so any client can fake its address, which rate limits and the
         audit log rely on. Enter only the address of your reverse proxy."""
_UNUSED_ADDRESS_WARNING = """\
Warning: without --webhook-port, --interface-address is ignored: invitations use the public address
         (--public-address)."""

MAX_LISTED_FLOWS = 5
_DESKTOP_WARNING = """\
Warning: these flows need the desktop of a window, which a server doesn't have: {flows}.
         They don't start, or fail, while this server runs. Stop it and keep the Patchbay window open to
         run them."""


async def run(options: argparse.Namespace, paths: AppPaths) -> int:
    """Run the server until SIGTERM (exit code 0) or Ctrl+C (130)."""
    stop = StopSignal(options.drain)
    listen_options = _listen_options(options)
    work_filter = NO_FLOWS if options.no_runs else ALL_FLOWS
    if options.workspace == "demo":
        if options.no_runs:
            raise output.WrongUsage(
                "no_runs", "The demo runs its own flows.", "Leave out --no-runs, or use another workspace."
            )
        from patchbay.bootstrap.demo import open_demo

        demo = await open_demo(paths, run=False)
        opened: LocalWorkspace = demo
        # A client that connects as soon as the server listens expects all of the sample data.
        try:
            await demo.filled()
        except BaseException:
            await demo.close()
            raise
    else:
        chosen = database_arguments(options)
        opened = await open_local(
            paths,
            SettingsFile(paths.settings).value,
            passphrase_file=options.passphrase_file,
            database=chosen["database"],
            hidden_files=[*chosen["hidden_files"], *listen_options.secret_files],
            take_over=True,
            work_filter=work_filter,
        )
    if opened.runtime is None:
        await opened.close()
        raise Conflict(
            "This data folder is already in use.",
            meaning="A window or another server runs its flows.",
            todo="Use that one, or choose another folder with --data-dir.",
        )
    return await _serve_until(opened, options, listen_options, stop)


def _listen_options(options: argparse.Namespace) -> ListenOptions:
    listen_options = listen_options_from(
        Service(
            host=options.host,
            port=options.port,
            webhook_port=options.webhook_port,
            base_path=options.base_path,
            tls_cert=options.tls_cert,
            tls_key=options.tls_key,
            interface_address=options.interface_address,
            trusted_proxies=options.trusted_proxy or [],
            proxy_header=options.proxy_header,
        )
    )
    if any(network.prefixlen == 0 for network in listen_options.proxies.networks):
        output.print_message(_TRUSTS_EVERYONE_WARNING)
    if listen_options.interface_address is not None and listen_options.webhook_port is None:
        output.print_message(_UNUSED_ADDRESS_WARNING)
    return listen_options


async def _serve_until(
    opened: LocalWorkspace, options: argparse.Namespace, listen_options: ListenOptions, stop: "StopSignal"
) -> int:
    manager = ServiceManager()
    try:
        assert opened.runtime is not None
        if not options.safe:
            await require_secrets(opened.runtime)
        if options.public_address is not None:
            await _set_public_address(opened, options.public_address)
        await _set_outgoing(opened, options)
        opened.runtime.prepare_to_listen(listen_options)
        await opened.runtime.start(safe=options.safe, restricted=options.no_runs)
        if opened.paths is not None:
            await asyncio.to_thread(record_server, opened.paths, opened.database)
        if opened.runtime.db.lost_commits is not None:
            output.print_message(opened.runtime.db.lost_commits.text())
        await _print_desktop_flows(opened.runtime, runs_flows=not options.no_runs)
        tune_garbage_collection()
        listeners = await opened.listen(listen_options, require_port=True)
        if listen_options.open_to_others and listen_options.tls_cert is None:
            output.print_message(_unencrypted_warning(listen_options, listeners.address))
        print(f"listening on {listeners.address}", flush=True)
        if listeners.webhooks != listeners.address and listen_options.webhook_port is not None:
            print(f"webhooks on {listeners.webhooks}", flush=True)
        if options.safe:
            print(SAFE_MODE_NOTICE, flush=True)
        if options.no_runs:
            print("running nothing (--no-runs): start “patchbay worker” to run flows", flush=True)
        manager.ready()
        reporting = asyncio.create_task(_report_vault_problem(opened.runtime), name="report-vault-problem")
        code = await stop.wait()
        manager.stopping()
        if options.drain and code != INTERRUPTED:
            opened.runtime.is_draining = True
            print(f"accepting requests for {options.drain} more seconds (--drain)", flush=True)
            await stop.wait_for_next(options.drain)
        reporting.cancel()
    finally:
        stop.watchdog.arm()
        await close_workspace(opened)
    return code


async def _print_desktop_flows(runtime: WorkspaceRuntime, *, runs_flows: bool) -> None:
    """Print which flows can't work, because a server has no desktop."""
    names: tuple[str, ...] = ()
    with contextlib.suppress(AppError):  # storage that can't be read is reported elsewhere
        names = await runtime.engine.flows_without_desktop() if runs_flows else ()
    if names:
        shown = [f"“{name}”" for name in names[:MAX_LISTED_FLOWS]]
        more = [f"{len(names) - MAX_LISTED_FLOWS:,} more"] if len(names) > MAX_LISTED_FLOWS else []
        output.print_message(_DESKTOP_WARNING.format(flows=", ".join([*shown, *more])))


async def require_secrets(runtime: WorkspaceRuntime) -> None:
    """Raise `SecretsUnavailable` if a server beside others, or one with a data key, can't read the secrets.

    A keyring that is only locked can be unlocked later. Lost secrets can be discarded with all runs paused,
    but that isn't advised for a data key, which the other servers of the database may well have.
    """
    store = runtime.secret_store
    has_data_key = await store.encryption.is_under_data_key()
    if runtime.db.peers is None and not has_data_key:
        return
    try:
        await store.require_for_start()
    except SecretsUnavailable as problem:
        if store.kind is KeyStoreKind.SYSTEM_KEYRING and problem.reason in TRANSIENT_REASONS:
            return
        if has_data_key:
            raise
        raise SecretsUnavailable(
            problem.happened,
            reason=problem.reason,
            meaning=problem.meaning,
            todo=f"{problem.todo} To start all the same, with all runs paused, add --safe.",
        ) from problem


async def _report_vault_problem(runtime: WorkspaceRuntime) -> None:
    """Print why the passphrase vault or the data key can't be used; there is no window to show it."""
    await runtime.secrets_opened()
    problem = runtime.secret_store.problem
    kind = runtime.secret_store.kind
    if problem is not None and kind in (KeyStoreKind.PASSPHRASE_VAULT, KeyStoreKind.DATA_KEY_FILE):
        output.print_message(f"{kind.capitalize()}: {problem.text()}")


async def close_workspace(opened: LocalWorkspace) -> None:
    """Close the workspace, with a message if running steps delay that."""
    running = 0
    if opened.runtime is not None:
        with contextlib.suppress(AppError, TimeoutError):
            async with asyncio.timeout(CLOSE_NOTICE_SECONDS):
                running = (await opened.runtime.engine.health()).running
    closing = asyncio.ensure_future(opened.close())
    done, _ = await asyncio.wait({closing}, timeout=CLOSE_NOTICE_SECONDS)
    if running and not done:
        output.print_message(f"waiting for running steps (up to {EXIT_SECONDS:.0f} s)")
    await closing


async def _set_public_address(opened: LocalWorkspace, address: str) -> None:
    """Save the public address, as the window's settings do. `none` removes it."""
    settings = await opened.backend.service_settings()
    await opened.backend.change_service_settings(
        settings.model_copy(update={"public_address": None if address == "none" else address})
    )


async def _set_outgoing(opened: LocalWorkspace, options: argparse.Namespace) -> None:
    """Save the rules for outgoing addresses. Addresses are added to those already allowed."""
    settings = await opened.backend.service_settings()
    changes: dict[str, object] = {}
    if options.outgoing_addresses is not None:
        changes["outgoing_addresses"] = OutgoingMode(options.outgoing_addresses)
    if given := [part.strip() for text in options.allow_address for part in text.split(",") if part.strip()]:
        changes["allowed_addresses"] = (*settings.allowed_addresses, *given)
    if changes:
        await opened.backend.change_service_settings(settings.model_copy(update=changes))


def _unencrypted_warning(listen_options: ListenOptions, address: str) -> str:
    lines = (
        f"Warning: other computers can reach {address} (--host {listen_options.host}), and connections",
        "aren't encrypted: anyone on the network path can read API keys and data, and change them.",
        "Use a certificate (--tls-cert), or listen on 127.0.0.1 behind a reverse proxy with TLS.",
    )
    return "\n         ".join(lines)


class StopSignal:
    """Waits for SIGTERM (exit code 0), or Ctrl+C or Ctrl+Break (130).

    The watchdog is armed by a signal handler, which Python also runs while the event loop is blocked. It
    allows `drain_seconds` more for the first SIGTERM, after which requests are still accepted.
    """

    def __init__(self, drain_seconds: float = 0) -> None:
        self.watchdog = ExitWatchdog(EXIT_SECONDS)
        self._drain_seconds = drain_seconds
        self._loop = asyncio.get_running_loop()
        self._code: asyncio.Future[int] = self._loop.create_future()
        self._is_signalled = False
        self._next = asyncio.Event()
        for number, code in ((signal.SIGTERM, 0), *((number, INTERRUPTED) for number in interrupt_signals())):
            # Event loops have no signal handlers on Windows; the one below is enough there.
            with contextlib.suppress(NotImplementedError):
                self._loop.add_signal_handler(number, self._set_exit_code, code)
            signal.signal(number, lambda *_, code=code: self._on_signal(code))

    async def wait(self) -> int:
        """Wait for a signal; returns the exit code."""
        return await self._code

    async def wait_for_next(self, seconds: float) -> None:
        """Wait for another signal, at most this long."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._next.wait()

    def _on_signal(self, code: int) -> None:
        drains = code == 0 and not self._is_signalled
        self.watchdog.arm(self._drain_seconds if drains else 0)
        with contextlib.suppress(RuntimeError):  # the loop is already closed
            self._loop.call_soon_threadsafe(self._set_exit_code, code)
            if self._is_signalled:
                self._loop.call_soon_threadsafe(self._next.set)
        self._is_signalled = True

    def _set_exit_code(self, code: int) -> None:
        if not self._code.done():
            self._code.set_result(code)
