"""An app whose servers number their letters alike, and a flow that runs for letters.

Every server and every box has a letter 1.
"""

import asyncio
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import select
from tests.support.patience import PATIENCE
from tests.support.workspace import WorkspaceRuntime

from patchbay.domain.base import AppKey
from patchbay.domain.errors import TimedOut
from patchbay.domain.executions import ExecutionFilter
from patchbay.domain.flows import Flow, StepChange
from patchbay.domain.paging import PageRequest
from patchbay.integration import App, Auth, AuthField, Context, Trigger, api_key_field, text
from patchbay.storage.repositories import flow_versions, flows
from patchbay.storage.repositories.rows import Tx
from patchbay.storage.tables import execution, seen_event


@dataclass
class Boxes:
    """`letters` holds, for each server and box, the ids that are listed there, newest first."""

    letters: defaultdict[tuple[str, str], list[str]] = field(default_factory=lambda: defaultdict(list))
    broken: bool = False

    def __post_init__(self) -> None:
        self.app = App(
            name="Boxes",
            key="boxes",
            supports_connections=True,
            auth=Auth(
                fields=(AuthField(key="server", label="Server", required=True), api_key_field()),
                verify_credentials=self._verify,
                is_still_verified=self._still,
            ),
            triggers=[
                Trigger(
                    key="newLetter",
                    name="New letter",
                    arguments=(text("box", "Box", value="in"), text("about", "About")),
                    run=self._letters,
                    source=("box",),
                )
            ],
        )

    async def _verify(self, ctx: Context) -> None:
        name = str(ctx.auth.data["apiKey"]).removesuffix("!")
        await ctx.auth.set(screenName=name, accountId=None if name == "nobody" else name)

    async def _still(self, ctx: Context) -> bool:
        return True

    async def _letters(self, ctx: Context) -> None:
        if self.broken:
            raise TimedOut("Boxes did not answer within 30 seconds.")
        server, box = str(ctx.auth.data["server"]), str(ctx.parameters.get("box") or "in")
        for letter in self.letters[server, box]:
            ctx.push_trigger_item({"from": f"{server}/{box}", "letter": letter}, letter)


@dataclass
class Room:
    """A workspace with one flow that runs for letters."""

    runtime: WorkspaceRuntime
    boxes: Boxes
    flow: Flow

    async def connect(self, server: str, account: str = "ada") -> str:
        made = await self.runtime.backend.add_connection(
            AppKey("boxes"), {"server": server, "apiKey": account}
        )
        return made.id

    async def publish(self, **change: Any) -> None:
        """With this change of the trigger."""
        edited = await self.runtime.backend.update_step(self.flow.steps[0].id, StepChange(**change))
        await self.runtime.skipped(edited)
        await self.runtime.backend.publish_flow(self.flow.id)

    async def point(self, server: str, connection: str, *, there: str) -> None:
        """Publish with this connection while these letters are listed on the server."""
        self.boxes.letters[server, "in"] = [*there]
        await self.publish(connection_id=connection)

    async def look(self, server: str, *, there: str, box: str = "in") -> None:
        """Let the trigger look once while these letters are listed."""
        self.boxes.letters[server, box] = [*there]
        self.runtime.clock.now = await self._due_after(self.runtime.clock.now)
        self.runtime.engine.triggers_changed()
        await self._due_after(self.runtime.clock.now)

    async def _due_after(self, now: int) -> int:
        """When the trigger is due next, once that is known to be later than `now`."""
        async with asyncio.timeout(PATIENCE):
            while True:
                state = await self.runtime.db.read(
                    lambda tx: flow_versions.get_trigger_state(tx, self.flow.id)
                )
                if state and (state.next_due_at or 0) > now:
                    return state.next_due_at or 0
                await asyncio.sleep(0.003)

    async def ran(self) -> list[str]:
        """The letters that the flow ran for, oldest first, as `server/box letter`."""
        found = await self.runtime.backend.list_executions(ExecutionFilter(), PageRequest(limit=100))
        told = []
        for one in reversed(found.items):
            steps = await self.runtime.backend.execution_steps(one.id)
            out: Any = steps[0].data_out
            told.append(f"{out['from']} {out['letter']}")
        return told

    async def place(self) -> int:
        return await self.runtime.db.read(lambda tx: flow_versions.source_of(tx, self.flow.id))

    async def sources(self) -> int:
        return len(await self.runtime.db.read(lambda tx: flows.sources(tx, self.flow.id)))

    async def stored_ids(self) -> list[str]:
        """Every id that is kept, by an execution or without one."""

        def read(tx: Tx) -> list[str]:
            found = [tx.execute(select(table.c.internal_id)).scalars() for table in (execution, seen_event)]
            return sorted({one for ids in found for one in ids if one is not None})

        return await self.runtime.db.read(read)
