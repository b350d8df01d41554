"""`patchbay worker`: runs flows of a PostgreSQL database without an HTTP API, until it is stopped."""

import argparse
import asyncio

from patchbay.bootstrap.local import open_worker
from patchbay.bootstrap.workspace_location import record_server
from patchbay.bootstrap.workspace_runtime import WorkspaceRuntime
from patchbay.cli.database_option import database_arguments
from patchbay.cli.serve import StopSignal, close_workspace
from patchbay.domain.base import AppKey, FlowId
from patchbay.domain.errors import NotFound, ValidationFailed
from patchbay.domain.peers import WorkFilter
from patchbay.platform.paths import AppPaths
from patchbay.platform.process_limits import tune_garbage_collection
from patchbay.platform.service_manager import ServiceManager
from patchbay.platform.settings import SettingsFile
from patchbay.server.health_check import HealthCheck
from patchbay.storage.storage_probe import StorageProbe


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
        health_check = health_check_of(runtime)
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


def health_check_of(runtime: WorkspaceRuntime) -> HealthCheck:
    """The health check of this worker, which doesn't listen yet."""
    return HealthCheck(runtime.engine, StorageProbe(runtime.db), runtime.workspace.public_hosts)


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
