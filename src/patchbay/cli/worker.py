"""`patchbay worker`: runs flows of a PostgreSQL database without an HTTP API, until it is stopped."""

import argparse
import asyncio
import json

from patchbay import __version__
from patchbay.bootstrap.local import open_worker
from patchbay.bootstrap.workspace_location import record_server
from patchbay.bootstrap.workspace_runtime import WorkspaceRuntime
from patchbay.cli.database_option import database_arguments
from patchbay.cli.serve import StopSignal, close_workspace
from patchbay.domain.base import AppKey, FlowId
from patchbay.domain.engine import EngineState
from patchbay.domain.errors import Conflict, NotFound, StorageFault, ValidationFailed
from patchbay.domain.peers import WorkFilter
from patchbay.platform.paths import AppPaths
from patchbay.platform.process_limits import tune_garbage_collection
from patchbay.platform.service_manager import ServiceManager
from patchbay.platform.settings import SettingsFile
from patchbay.storage.storage_probe import StorageProbe

_MAX_REQUEST_BYTES = 8_192
_REQUEST_SECONDS = 10.0
MAX_HEALTH_CONNECTIONS = 32


async def run(options: argparse.Namespace, paths: AppPaths) -> int:
    """Run flows until SIGTERM (exit code 0) or Ctrl+C (130)."""
    stop, manager = StopSignal(), ServiceManager()
    work_filter = WorkFilter(
        apps=frozenset(map(AppKey, options.app)), flows=frozenset(map(FlowId, options.flow))
    )
    opened = await open_worker(
        paths,
        SettingsFile(paths.settings).value,
        passphrase_file=options.passphrase_file,
        work_filter=work_filter,
        **database_arguments(options),
    )
    runtime = opened.runtime
    assert runtime is not None
    try:
        await require_ready(runtime, work_filter)
        await runtime.start(restricted=work_filter.is_restricted)
        await asyncio.to_thread(record_server, paths, opened.database)
        tune_garbage_collection()
        health_check = HealthCheck(runtime)
        if options.health_port is None:
            print("running flows", flush=True)
        else:
            address = await health_check.listen(options.health_host, options.health_port)
            print(f"health check on {address}", flush=True)
        manager.ready()
        try:
            return await stop.wait()
        finally:
            manager.stopping()
            health_check.close()
    finally:
        stop.watchdog.arm()
        await close_workspace(opened)


async def require_ready(runtime: WorkspaceRuntime, work_filter: WorkFilter) -> None:
    """Raise `ValidationFailed` for flows that don't exist and apps that aren't installed here.

    Raises `SecretsUnavailable` if there are secrets that this worker can't read: its runs would fail.
    """
    await runtime.secret_store.require_for_start()
    for flow_id in sorted(work_filter.flows):
        try:
            await runtime.backend.get_flow(flow_id)
        except NotFound as error:
            raise ValidationFailed(
                {"flow": [f"there is no flow with the ID “{flow_id}”"]},
                happened=f"There is no flow with the ID “{flow_id}”.",
                todo="A worker takes whole IDs; “patchbay flow list --json” shows them.",
            ) from error
    for key in sorted(work_filter.apps):
        try:
            await runtime.backend.get_app(key)
        except NotFound as error:
            raise ValidationFailed(
                {"app": [f"there is no app “{key}”"]},
                happened=f"There is no app “{key}”.",
                todo="“patchbay app list” shows the keys of all apps.",
            ) from error


class HealthCheck:
    """Responds to all HTTP requests: 200 while the worker runs and events can be stored, otherwise 503.

    `/metrics` returns the metrics of this worker. Connections beyond `MAX_HEALTH_CONNECTIONS` are closed.
    """

    def __init__(self, runtime: WorkspaceRuntime) -> None:
        self._engine = runtime.engine
        self._probe = StorageProbe(runtime.db)
        self._server: asyncio.Server | None = None
        self._connections = 0

    async def listen(self, host: str, port: int) -> str:
        """Listen, and return the address. Raises `Conflict` for a port in use."""
        try:
            self._server = await asyncio.start_server(self._respond, host, port, limit=_MAX_REQUEST_BYTES)
        except OSError as error:
            raise Conflict(
                f"Port {port} can't be used for the health check: {error.strerror or error}.",
                todo="Choose another one with --health-port.",
            ) from error
        found = self._server.sockets[0].getsockname()
        return f"http://{f'[{host}]' if ':' in host else host}:{found[1]}/healthcheck"

    def close(self) -> None:
        """Stop listening."""
        if self._server is not None:
            self._server.close()

    async def _respond(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._connections >= MAX_HEALTH_CONNECTIONS:
            writer.transport.abort()
            return
        self._connections += 1
        try:
            async with asyncio.timeout(_REQUEST_SECONDS):
                request = await reader.readuntil(b"\r\n\r\n")
                wants_metrics = request.startswith(b"GET /metrics ")
                status, body, kind = await (self._metrics() if wants_metrics else self._state())
                head = f"HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}"
                writer.write(f"{head}\r\nconnection: close\r\n\r\n".encode() + body)
                await writer.drain()
        except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass  # the client is gone, too slow, or doesn't speak HTTP
        finally:
            self._connections -= 1
            writer.close()

    async def _metrics(self) -> tuple[str, bytes, str]:
        from patchbay.server.metrics import engine_metrics_text  # slow to import, and not always requested

        try:
            health = await self._engine.health()
        except StorageFault:
            return await self._state()
        return "200 OK", *engine_metrics_text(health, __version__)

    async def _state(self) -> tuple[str, bytes, str]:
        """The status, the body, and its content type."""
        problem = "The engine isn't running." if self._engine.state is EngineState.STOPPED else ""
        try:
            await self._probe()
        except StorageFault as fault:
            problem = fault.happened
        status = "503 Service Unavailable" if problem else "200 OK"
        state = {"status": "failed", "error": problem} if problem else {"status": "running"}
        body = json.dumps({**state, "version": __version__}).encode()
        return status, body, "application/json"
