"""`patchbay serve`: the service without a window."""

import argparse
import asyncio
import contextlib
import signal
from pathlib import Path
from typing import TYPE_CHECKING

from patchbay.bootstrap.listen_options import ListenOptions, listen_options_from
from patchbay.bootstrap.local import LocalWorkspace, open_local
from patchbay.bootstrap.workspace_runtime import WorkspaceRuntime
from patchbay.cli import output
from patchbay.domain.errors import AppError, Conflict, NotSupported
from patchbay.domain.outgoing import OutgoingMode
from patchbay.platform.exit_watchdog import EXIT_SECONDS, ExitWatchdog
from patchbay.platform.paths import AppPaths
from patchbay.platform.process_limits import tune_garbage_collection
from patchbay.platform.settings import Service, SettingsFile
from patchbay.service.key_stores import PassphraseKeyStore

if TYPE_CHECKING:
    from patchbay.bootstrap.demo import DemoWorkspace

INTERRUPTED = 130
CLOSE_NOTICE_SECONDS = 1.0
"""How long closing may take without a word."""
SAFE_MODE_NOTICE = """\
all runs are paused (--safe), also after a restart: cancel the run that crashes the service with
“patchbay execution cancel ID”, then start runs again with “patchbay engine resume”"""


_TRUSTS_EVERYONE_WARNING = """\
Warning: --trusted-proxy names all addresses, so any caller can pretend to be another one, also to rate limits
         and in the audit log. Give only the address of your reverse proxy."""
_UNUSED_ADDRESS_WARNING = """\
Warning: without --webhook-port, invitations lead to the public address (--public-address) and not to
         --interface-address."""


async def run(options: argparse.Namespace, paths: AppPaths) -> int:
    """Serve until told to stop; the exit code."""
    stop = _StopSignal()
    listen_options = _listen_options(options)
    if options.workspace == "demo":
        from patchbay.bootstrap.demo import open_demo

        demo = await open_demo(paths, run=False)
        opened: LocalWorkspace = demo
        await _wait_until_filled(demo)
    else:
        opened = await open_local(
            paths, SettingsFile(paths.settings).value, passphrase_file=options.passphrase_file,
            database=_database(options.database),
        )  # fmt: skip
    if opened.runtime is None:
        await opened.close()
        raise Conflict(
            "This data folder is already served.", meaning="A window or another service runs its flows.",
            todo="Use that one, or another folder with --data-dir.",
        )  # fmt: skip
    return await _serve_until(opened, options, listen_options, stop)


async def _wait_until_filled(demo: "DemoWorkspace") -> None:
    """Wait until the sample data is there: whoever reads that it listens gets all of it."""
    try:
        await demo.filled()
    except BaseException:
        await demo.close()
        raise


def _listen_options(options: argparse.Namespace) -> ListenOptions:
    listen_options = _requested_listen_options(options)
    if any(network.prefixlen == 0 for network in listen_options.proxies.networks):
        output.print_message(_TRUSTS_EVERYONE_WARNING)
    if listen_options.interface_address is not None and listen_options.webhook_port is None:
        output.print_message(_UNUSED_ADDRESS_WARNING)
    return listen_options


def _requested_listen_options(options: argparse.Namespace) -> ListenOptions:
    return listen_options_from(
        Service(
            host=options.host, port=options.port, webhook_port=options.webhook_port,
            base_path=options.base_path, tls_cert=options.tls_cert, tls_key=options.tls_key,
            interface_address=options.interface_address, trusted_proxies=options.trusted_proxy or [],
            proxy_header=options.proxy_header,
        )
    )  # fmt: skip


async def _serve_until(
    opened: LocalWorkspace, options: argparse.Namespace, listen_options: ListenOptions, stop: "_StopSignal"
) -> int:
    try:
        assert opened.runtime is not None
        if options.public_address is not None:
            await _set_public_address(opened, options.public_address)
        await _set_outgoing(opened, options)
        opened.runtime.prepare_to_listen(listen_options)
        await opened.runtime.start(safe=options.safe)
        if opened.runtime.db.lost_commits is not None:
            output.print_message(opened.runtime.db.lost_commits.text())
        tune_garbage_collection()
        listeners = await opened.listen(listen_options, require_port=True)
        if listen_options.open_to_others and listen_options.tls_cert is None:
            output.print_message(_unencrypted_warning(listen_options, listeners.address))
        print(f"listening on {listeners.address}", flush=True)
        if listeners.webhooks != listeners.address and listen_options.webhook_port is not None:
            print(f"webhooks on {listeners.webhooks}", flush=True)
        if options.safe:
            print(SAFE_MODE_NOTICE, flush=True)
        reporting = asyncio.create_task(_report_vault_problem(opened.runtime), name="report-vault-problem")
        code = await stop.wait()
        reporting.cancel()
    finally:
        stop.watchdog.arm()
        await _close(opened)
    return code


async def _report_vault_problem(runtime: WorkspaceRuntime) -> None:
    """Say why the passphrase vault can't be opened; without a window nobody else would."""
    if runtime.secrets_task is not None:
        await asyncio.wait({runtime.secrets_task})
        problem = runtime.vault.problem
        if problem is not None and runtime.vault.name == PassphraseKeyStore.name:
            output.print_message(f"Passphrase vault: {problem.text()}")


async def _close(opened: LocalWorkspace) -> None:
    """Close the workspace; when running steps delay that, say so."""
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
    """As if it were entered in the window; nothing takes it away."""
    settings = await opened.backend.service_settings()
    await opened.backend.change_service_settings(
        settings.model_copy(update={"public_address": None if address == "none" else address})
    )


async def _set_outgoing(opened: LocalWorkspace, options: argparse.Namespace) -> None:
    """Kept until they are changed; addresses are added to those that are allowed already."""
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
        f"Warning: other computers can reach {address} (--host {listen_options.host}), and the connection is not",
        "encrypted: whoever is on the way can read API keys and data, and change both.",
        "Give a certificate with --tls-cert, or listen on 127.0.0.1 behind a proxy that encrypts.",
    )
    return "\n         ".join(lines)


class _StopSignal:
    """Waits for SIGTERM (a system's wish: exit code 0) or Ctrl+C (interrupted: 130).

    The watchdog is armed by a handler that Python runs also while the event loop is held up.
    """

    def __init__(self) -> None:
        self.watchdog = ExitWatchdog()
        self._loop = asyncio.get_running_loop()
        self._code: asyncio.Future[int] = self._loop.create_future()
        for number, code in ((signal.SIGTERM, 0), (signal.SIGINT, INTERRUPTED)):
            # On Windows, where loops have no handlers, the one below does all of it.
            with contextlib.suppress(NotImplementedError):
                self._loop.add_signal_handler(number, self._set_exit_code, code)
            signal.signal(number, lambda *_, code=code: self._on_signal(code))

    async def wait(self) -> int:
        """The exit code, once told to stop."""
        return await self._code

    def _on_signal(self, code: int) -> None:
        self.watchdog.arm()
        with contextlib.suppress(RuntimeError):  # the loop is closed already
            self._loop.call_soon_threadsafe(self._set_exit_code, code)

    def _set_exit_code(self, code: int) -> None:
        if not self._code.done():
            self._code.set_result(code)


def _database(url: str | None) -> Path | None:
    if url is None:
        return None
    scheme, separator, rest = url.partition(":///")
    if scheme != "sqlite" or not separator or not rest:
        raise NotSupported(
            "Only SQLite databases can be served so far.", todo="Use --database sqlite:///path/to/file.db"
        )
    return Path(rest)
