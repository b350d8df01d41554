"""`LocalBackend`: a workspace whose database and engine are in this process."""

from collections.abc import AsyncIterator, Callable

from patchbay import __version__
from patchbay.domain.audit import Actor
from patchbay.domain.backend import Backend, Capabilities, WorkspaceInfo
from patchbay.domain.base import EpochMs, UserId
from patchbay.domain.changes import Change
from patchbay.domain.ports import Credentials
from patchbay.integration.http_factory import HttpFactory
from patchbay.integration.registry import AppRegistry
from patchbay.integration.workers import Workers
from patchbay.service.access import AccessOperations
from patchbay.service.api_keys import StoredApiKeys
from patchbay.service.catalogue import AppOperations
from patchbay.service.changes import Changes
from patchbay.service.engine_settings import EngineOperations
from patchbay.service.flow_running import FlowRunningOperations
from patchbay.service.folders import FolderOperations
from patchbay.service.history import HistoryOperations
from patchbay.service.hosting import HostingOperations
from patchbay.service.invitations import InvitationOperations
from patchbay.service.parts import PROGRAM, Engine, Parts
from patchbay.service.place import Workspace
from patchbay.service.runs import RunOperations
from patchbay.service.secret_store import SecretStore
from patchbay.service.secrets import SecretOperations
from patchbay.service.sharing import SharingOperations
from patchbay.service.sign_in import SignInOperations
from patchbay.service.testing import TestingOperations
from patchbay.storage.database import Database


class LocalBackend(
    TestingOperations,
    InvitationOperations,
    FlowRunningOperations,
    SharingOperations,
    SignInOperations,
    SecretOperations,
    FolderOperations,
    HistoryOperations,
    RunOperations,
    EngineOperations,
    AppOperations,
    AccessOperations,
    HostingOperations,
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
        changes: Changes,
        clock: Callable[[], EpochMs],
        workspace: Workspace,
        owner: UserId,
        keys: StoredApiKeys | None = None,
        workers: Workers | None = None,
        actor: Actor = PROGRAM,
    ) -> None:
        pool = workers or Workers()
        self._own_workers = pool if workers is None else None
        super().__init__(
            Parts(
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
        place, problem = self._parts.workspace, self._parts.vault.problem
        return WorkspaceInfo(
            kind=place.kind, name=place.name, address=place.address(),
            webhook_address=place.outside(), version=__version__,
            secrets_kept=self._parts.vault.place, secrets_name=self._parts.vault.name,
            secrets_problem=problem.text() if problem else None, secrets_waiting=self._parts.vault.waiting,
        )  # fmt: skip

    def changes(self) -> AsyncIterator[Change]:
        """Changes from the moment of this call; ends when the workspace is closed."""
        return self._changes.listen()

    async def close(self) -> None:
        """End what follows the changes, bulk retries, and sign-ins that nobody finished."""
        self.end_sign_ins()
        self.end_bulk_retries()
        self._changes.close()
        if self._own_workers is not None:
            await self._own_workers.close()
