"""Stores the demo's folders, connections, flows, and templates, with IDs that only depend on the seed."""

import random
import uuid
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

from patchbay.demo.blueprint import (
    Blueprint,
    ConnectionPlan,
    FlowPlan,
    StepPlan,
    TemplatePlan,
    blueprint,
    load_json,
)
from patchbay.demo.samples import Occasion, SampleRenderer
from patchbay.demo.timing import SLOT_MS, slots
from patchbay.domain.base import (
    ConnectionId,
    EpochMs,
    FlowId,
    FolderId,
    JsonObject,
    StepId,
    TemplateId,
    UserId,
)
from patchbay.domain.clock import DAY_MS, MINUTE_MS
from patchbay.domain.connections import Connection, ConnectionHealth
from patchbay.domain.engine_store import TriggerState
from patchbay.domain.flows import (
    Flow,
    FlowExport,
    FlowVersion,
    Step,
    StepExport,
    StepStatus,
    StepTestStatus,
    StepType,
)
from patchbay.domain.folders import Folder, Template
from patchbay.domain.variables import rewrite_references
from patchbay.storage.database import Database
from patchbay.storage.repositories import (
    connections,
    flow_versions,
    flows,
    folders,
    secrets,
    templates,
    users,
)
from patchbay.storage.repositories.rows import Tx
from patchbay.storage.repositories.secrets import Sealed

Seal = Callable[[ConnectionId, JsonObject], Awaitable[Sealed]]
"""Encrypts the credentials of a connection."""

_GRANTED, _REVOKED = ("demo-access", "demo-refresh"), "demo-revoked"
_NAMESPACE = uuid.UUID("6f1d3d1c-6d0e-4b52-9a55-0d1c5f6e7a11")
_VERSION_7 = 0x7 << 76
_VARIANT = 0x2 << 62


def seeded_id(seed: int, *names: object) -> str:
    """The ID for a name, which is the same for each build with this seed."""
    return str(uuid.uuid5(_NAMESPACE, "/".join(map(str, (seed, *names)))))


def uuid7_at(at: int, random_bits: int) -> str:
    """A version 7 UUID for a time in milliseconds; `random_bits` are its 74 random bits."""
    low, high = random_bits & ((1 << 62) - 1), (random_bits >> 62) & 0xFFF
    text = f"{(at << 80) | _VERSION_7 | (high << 64) | _VARIANT | low:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


@dataclass(frozen=True)
class Ids:
    """The IDs of one build."""

    seed: int

    def flow(self, plan: FlowPlan) -> FlowId:
        """The ID of a flow."""
        return FlowId(seeded_id(self.seed, "flow", plan.name))

    def step(self, plan: FlowPlan, position: int) -> StepId:
        """The ID of the step at a position, counted from 1."""
        return StepId(seeded_id(self.seed, "step", plan.name, position))

    def steps(self, plan: FlowPlan) -> list[StepId]:
        """The IDs of all steps of a flow, in order."""
        return [self.step(plan, position) for position in range(1, len(plan.steps) + 1)]

    def connection(self, key: str) -> ConnectionId:
        """The ID of a connection."""
        return ConnectionId(seeded_id(self.seed, "connection", key))

    def folder(self, name: str) -> FolderId:
        """The ID of a folder."""
        return FolderId(seeded_id(self.seed, "folder", name))

    @property
    def owner(self) -> UserId:
        """The ID of the owner of the demo."""
        return UserId(seeded_id(self.seed, "owner"))


async def furnish(db: Database, now: EpochMs, seal: Seal, seed: int) -> UserId:
    """Store everything except the history in one commit. Returns the owner."""
    plan, ids = blueprint(), Ids(seed)
    sealed = [await seal(ids.connection(item.id), _credentials(item)) for item in plan.connections]

    def store(tx: Tx) -> UserId:
        owner = users.owner(tx, ids.owner, plan.owner.full_name, plan.owner.email, now - 300 * DAY_MS).id
        for number, name in enumerate(plan.folders):
            created_at = now - (264 - 20 * number) * DAY_MS
            folder = Folder(
                id=ids.folder(name), name=name, user_id=owner, created_at=created_at, updated_at=created_at
            )
            folders.add(tx, folder)
        for number, item in enumerate(plan.connections):
            connections.add(tx, _connection(item, ids, now, now - (number + 9) * DAY_MS), owner)
        for one in sealed:
            secrets.put(tx, one)
        for number, flow in enumerate(plan.flows):
            _add_flow(tx, flow, ids, owner, now, number)
        for number, template in enumerate(plan.templates):
            templates.add(tx, _template(template, plan, seed, now - (len(plan.templates) - number) * DAY_MS))
        return owner

    return await db.write(store)


# Connections


def _visible_values(plan: ConnectionPlan) -> JsonObject:
    """The values that aren't secret."""
    values: JsonObject = load_json("accounts")[plan.app]["shown"]
    return {**values, "screenName": plan.name}


def _credentials(plan: ConnectionPlan) -> JsonObject:
    """All values, as the app's sign-in or form would store them."""
    stored: JsonObject = load_json("accounts")[plan.app]["stored"]
    if plan.health is ConnectionHealth.NEEDS_ATTENTION:
        rejected = (key for key, value in stored.items() if value in _GRANTED)
        stored = {**stored, **dict.fromkeys(rejected, _REVOKED)}
    return {**_visible_values(plan), **stored}


def _connection(plan: ConnectionPlan, ids: Ids, now: EpochMs, created_at: EpochMs) -> Connection:
    tested = None if plan.tested_minutes_ago is None else now - plan.tested_minutes_ago * MINUTE_MS
    return Connection(
        id=ids.connection(plan.id),
        app_key=plan.app,
        screen_name=plan.name,
        formatted_data=_visible_values(plan),
        verified=plan.health in (ConnectionHealth.VALID, ConnectionHealth.EXPIRES_SOON),
        health=plan.health,
        reason=plan.reason,
        tested_at=tested,
        created_at=created_at,
        updated_at=created_at,
    )


# Flows


def frozen_steps(plan: FlowPlan, ids: Ids) -> tuple[Step, ...]:
    """The steps of a flow as published."""
    new_ids = {StepId(str(position)): step_id for position, step_id in enumerate(ids.steps(plan), 1)}
    return tuple(_step(step, position, new_ids, ids) for position, step in enumerate(plan.steps, 1))


def _step(plan: StepPlan, position: int, new_ids: dict[StepId, StepId], ids: Ids) -> Step:
    conditions = None
    if plan.conditions is not None:
        conditions = tuple(rewrite_references(group, new_ids) for group in plan.conditions)
    return Step(
        id=new_ids[StepId(str(position))],
        type=StepType.TRIGGER if position == 1 else StepType.ACTION,
        app_key=plan.app,
        key=plan.key,
        name=plan.name,
        position=position,
        structural_type=plan.kind,
        parent_step_id=new_ids[StepId(str(plan.inside))] if plan.inside else None,
        branch_conditions=conditions,
        connection_id=ids.connection(plan.connection) if plan.connection else None,
        status=StepStatus.INCOMPLETE if plan.incomplete else StepStatus.COMPLETED,
        tested=None if plan.incomplete else StepTestStatus.PASSED,
        parameters=rewrite_references(plan.parameters, new_ids),
    )


def _add_flow(tx: Tx, plan: FlowPlan, ids: Ids, owner: UserId, now: EpochMs, number: int) -> None:
    published, edited = frozen_steps(plan, ids), now - (number * 7 + 1) * 3 * 60 * MINUTE_MS
    created_at = now - (200 - 3 * number) * DAY_MS
    edited_step = published[-1].model_copy(update={"status": StepStatus.INCOMPLETE, "tested": None})
    flow = Flow(
        id=ids.flow(plan),
        name=plan.name,
        user_id=owner,
        folder_id=ids.folder(plan.folder) if plan.folder else None,
        active=not plan.draft,
        execution_interval=plan.interval,
        published_version=plan.version or None,
        has_unpublished_edits=plan.edits,
        steps=(*published[:-1], edited_step) if plan.edits else published,
        created_at=created_at,
        updated_at=edited,
    )
    flows.add(tx, flow)
    for version in kept_version_numbers(plan):
        item = FlowVersion(
            flow_id=flow.id,
            number=version,
            name=plan.name,
            steps=published,
            created_at=edited,
            approved=True,
        )
        flow_versions.add(tx, item)
    if not plan.draft:
        flow_versions.reset_trigger_state(tx, _trigger_state(plan, flow.id, ids.seed, now))


def kept_version_numbers(plan: FlowPlan) -> Iterable[int]:
    """The numbers of the stored versions: the published one and the one before."""
    return range(max(1, plan.version - 1), plan.version + 1) if plan.version else ()


def _trigger_state(plan: FlowPlan, flow_id: FlowId, seed: int, now: EpochMs) -> TriggerState:
    """The trigger's state, in which all current items are known, so that only new ones start runs."""
    if not plan.polls:
        return TriggerState(flow_id=flow_id)
    wait = random.Random(f"{seed}{plan.name}").randrange(30_000, plan.interval * MINUTE_MS)  # noqa: S311  # sample data
    seen = tuple(internal_id(plan, Occasion(slot, slot * SLOT_MS)) for slot in slots(now))
    return TriggerState(flow_id=flow_id, next_due_at=now + wait, cursor={"seen": [*seen]}, seen=seen)


def internal_id(plan: FlowPlan, occasion: Occasion) -> str:
    """The ID that the trigger of a flow gives the item with this number and time."""
    template = load_json("polled").get(plan.trigger, "${number}")
    return str(SampleRenderer(random.Random(0), occasion).render(template, {}))  # noqa: S311  # sample data


# Templates


def _template(plan: TemplatePlan, workspace_plan: Blueprint, seed: int, created_at: EpochMs) -> Template:
    source = next(flow for flow in workspace_plan.flows if flow.name == plan.flow)
    exported = FlowExport(
        id=FlowId(seeded_id(seed, "template flow", plan.name)),
        name=plan.name,
        steps=tuple(_step_export(step, position) for position, step in enumerate(source.steps, 1)),
    )
    fresh = [
        StepId(seeded_id(seed, "template step", plan.name, position)) for position in range(len(source.steps))
    ]
    return Template(
        id=TemplateId(seeded_id(seed, "template", plan.name)),
        name=plan.name,
        description=plan.description,
        category=plan.category,
        flow_data=exported.with_new_ids(exported.id, fresh).wire(),
        created_at=created_at,
        updated_at=created_at,
    )


def _step_export(step: StepPlan, position: int) -> StepExport:
    kind = StepType.TRIGGER if position == 1 else StepType.ACTION
    return StepExport(
        id=StepId(str(position)),
        key=step.key,
        name=step.name,
        app_key=step.app,
        type=kind,
        parameters=step.parameters,
        position=position,
    )
