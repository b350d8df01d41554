"""`LocalBackend`: a workspace whose database and engine are in this process."""

from collections.abc import AsyncIterator, Callable

from patchbay import __version__
from patchbay.domain.audit_log import Actor
from patchbay.domain.backend import Backend, Capabilities, WorkspaceInfo
from patchbay.domain.base import EpochMs, UserId
from patchbay.domain.changes import Change
from patchbay.domain.ports import Credentials
from patchbay.integration.http_factory import HttpFactory
from patchbay.integration.registry import AppRegistry
from patchbay.integration.workers import Workers
from patchbay.service.addresses import Workspace
from patchbay.service.api_keys import StoredApiKeys
from patchbay.service.apps import AppOperations
from patchbay.service.changes import ChangeBroadcaster
from patchbay.service.engine_settings import EngineOperations
from patchbay.service.executions import ExecutionControlOperations, ExecutionHistoryOperations
from patchbay.service.flow_export import FlowExportOperations
from patchbay.service.flows import FlowSettingsOperations
from patchbay.service.folders import FolderOperations
from patchbay.service.invitations import InvitationOperations
from patchbay.service.people import ApiKeyOperations
from patchbay.service.secret_store import SecretStore
from patchbay.service.secrets import SecretOperations
from patchbay.service.service_context import PROGRAM, Engine, ServiceContext
from patchbay.service.service_settings import ServiceSettingsOperations
from patchbay.service.sign_in import SignInOperations
from patchbay.service.step_tests import StepTestOperations
from patchbay.storage.database import Database


class LocalBackend(
    StepTestOperations,
    InvitationOperations,
    FlowSettingsOperations,
    FlowExportOperations,
    SignInOperations,
    SecretOperations,
    FolderOperations,
    ExecutionHistoryOperations,
    ExecutionControlOperations,
    EngineOperations,
    AppOperations,
    ApiKeyOperations,
    ServiceSettingsOperations,
    Backend,
):
    """All operations of a workspace, put together from one class per noun.

    `changes` is shared with the engine (its `on_change`) and with `StoredCredentials`, so that everybody's
    writes reach every listener. Whoever built database and engine also stops them. `keys` is where API keys
    are kept, when not in the same database; `actor` is who acts when nobody says.
    """

    def __init__(
        self,
        *,
        db: Database,
        apps: AppRegistry,
        engine: Engine,
        vault: SecretStore,
        credentials: Credentials,
        http: HttpFactory,
        changes: ChangeBroadcaster,
        clock: Callable[[], EpochMs],
        workspace: Workspace,
        owner: UserId,
        keys: StoredApiKeys | None = None,
        workers: Workers | None = None,
        actor: Actor = PROGRAM,
    ) -> None:
        pool = workers or Workers()
        self._owned_workers = pool if workers is None else None
        super().__init__(
            ServiceContext(
                db=db,
                apps=apps,
                engine=engine,
                vault=vault,
                credentials=credentials,
                http=http,
                workers=pool,
                changes=changes,
                clock=clock,
                workspace=workspace,
                owner=owner,
                keys=keys or StoredApiKeys(db, clock),
                actor=actor,
            )
        )
        self.capabilities = Capabilities()

    async def info(self) -> WorkspaceInfo:
        place, problem = self._service_context.workspace, self._service_context.vault.problem
        return WorkspaceInfo(
            kind=place.kind, name=place.name, address=place.address(),
            webhook_address=place.external_address(), version=__version__,
            secrets_kept=self._service_context.vault.place, secrets_name=self._service_context.vault.name,
            secrets_problem=problem.text() if problem else None, secrets_waiting=self._service_context.vault.waiting,
        )  # fmt: skip

    def changes(self) -> AsyncIterator[Change]:
        """Changes from the moment of this call; ends when the workspace is closed."""
        return self._changes.listen()

    async def close(self) -> None:
        """End what follows the changes, bulk retries, and sign-ins that nobody finished."""
        self.cancel_pending_sign_ins()
        self.stop_bulk_retries()
        self._changes.close()
        if self._owned_workers is not None:
            await self._owned_workers.close()
