"""Lists flows for steps and apps, such as those a flow can call."""

from collections.abc import Callable, Collection, Iterator

from sqlalchemy import ColumnElement, Connection, literal, select

from patchbay.domain.base import AppKey, FlowId, Json, UserId
from patchbay.domain.flow_calls import ANSWER_ACTION, CALLED_TRIGGER, FlowChoice, PublishedStep, is_event
from patchbay.domain.flows import Step
from patchbay.storage.codec import decode_payload
from patchbay.storage.database import Database
from patchbay.storage.repositories.flow_versions import published, published_steps
from patchbay.storage.repositories.owners import is_owner, restricted_owner, restricted_user
from patchbay.storage.tables import execution_step, flow


class SqlFlowDirectory:
    """Implements `FlowDirectory`: all flows, or only those visible to a given flow.

    For a new flow that isn't stored yet, give its `owner` instead.
    """

    def __init__(
        self, db: Database, visible_to: FlowId | None = None, *, owner: UserId | None = None
    ) -> None:
        self._db = db
        self._visible_to = visible_to
        self._owner = owner

    def visible_to(self, flow_id: FlowId) -> "SqlFlowDirectory":
        return SqlFlowDirectory(self._db, flow_id)

    async def flows(self) -> tuple[FlowChoice, ...]:
        return await self._db.read(lambda tx: all_flows(tx, self._only_owner(tx)))

    async def callable_flows(self) -> tuple[FlowChoice, ...]:
        return await self._db.read(lambda tx: callable_flows(tx, self._only_owner(tx)))

    async def published_steps(
        self, app_key: AppKey, key: str, flow_id: FlowId | None = None
    ) -> tuple[PublishedStep, ...]:
        return await self._db.read(
            lambda tx: steps_with_event(tx, (app_key, key), flow_id, self._only_owner(tx))
        )

    async def last_call(self, flow_id: FlowId) -> Json:
        return await self._newest_output(flow_id, CALLED_TRIGGER)

    async def last_response(self, flow_id: FlowId) -> Json:
        return await self._newest_output(flow_id, ANSWER_ACTION)

    async def _newest_output(self, flow_id: FlowId, event: str) -> Json:
        def work(tx: Connection) -> Json:
            owner_id = self._only_owner(tx)
            if owner_id is not None and not is_owner(tx, owner_id, flow_id):
                return None
            return _newest_output(tx, flow_id, lambda step: is_event(step, event))

        return await self._db.read(work)

    def _only_owner(self, tx: Connection) -> UserId | None:
        """The only user whose flows are included; None for all flows."""
        if self._visible_to is not None:
            return restricted_owner(tx, self._visible_to)
        return None if self._owner is None else restricted_user(tx, self._owner)


def all_flows(tx: Connection, owner_id: UserId | None = None) -> tuple[FlowChoice, ...]:
    """Flows that aren't deleted, by name; with `owner_id`, only those of this user."""
    rows = tx.execute(
        select(flow.c.id, flow.c.name).where(flow.c.deleted_at.is_(None), *_owner_condition(owner_id))
    )
    return _by_name([FlowChoice(id=row.id, name=row.name) for row in rows])


def callable_flows(
    tx: Connection, owner_id: UserId | None = None, *, among: Collection[FlowId] | None = None
) -> tuple[FlowChoice, ...]:
    """Published flows that other flows can call, by name; with `owner_id`, only those of this user.

    With `among`, only these: reading all takes time in proportion to their number.
    """
    live = select(flow.c.id, flow.c.name).where(flow.c.active, flow.c.deleted_at.is_(None))
    if among is not None:
        live = live.where(flow.c.id.in_(among))
    names = {row.id: row.name for row in tx.execute(live.where(*_owner_condition(owner_id)))}
    steps = published_steps(tx, list(names))
    called = [
        flow_id
        for flow_id, version_steps in steps.items()
        if version_steps and is_event(version_steps[0], CALLED_TRIGGER)
    ]
    return _by_name([FlowChoice(id=flow_id, name=names[flow_id]) for flow_id in called])


def steps_with_event(
    tx: Connection, event: tuple[AppKey, str], flow_id: FlowId | None = None, owner_id: UserId | None = None
) -> tuple[PublishedStep, ...]:
    """The steps of published flows with this event, given as app and key, by the names of their flows.

    With `flow_id`, only those of this flow; with `owner_id`, only those of this user's flows.
    """
    live = select(flow.c.id, flow.c.name).where(flow.c.active, flow.c.deleted_at.is_(None))
    if flow_id is not None:
        live = live.where(flow.c.id == flow_id)
    choices = [
        FlowChoice(id=row.id, name=row.name) for row in tx.execute(live.where(*_owner_condition(owner_id)))
    ]
    steps = published_steps(tx, [choice.id for choice in choices])
    return tuple(
        PublishedStep(flow_id=choice.id, flow_name=choice.name, step_id=step.id, parameters=step.parameters)
        for choice in _by_name(choices)
        for step in steps.get(choice.id, ())
        if (step.app_key, step.key) == event
    )


def _owner_condition(owner_id: UserId | None) -> Iterator[ColumnElement[bool]]:
    if owner_id is not None:
        yield flow.c.user_id == owner_id


def _by_name(choices: list[FlowChoice]) -> tuple[FlowChoice, ...]:
    return tuple(sorted(choices, key=lambda choice: (choice.name.casefold(), choice.id)))


def _newest_output(tx: Connection, flow_id: FlowId, is_wanted: Callable[[Step], bool]) -> Json:
    """The newest output of the matching steps of the published version."""
    version = published(tx, flow_id)
    found = [step.id for step in version.steps if is_wanted(step)] if version else []
    succeeded = execution_step.c.status == literal("success", literal_execute=True)
    query = select(execution_step.c.output).where(execution_step.c.step_id.in_(found), succeeded)
    return decode_payload(tx.execute(query.order_by(execution_step.c.finished_at.desc()).limit(1)).scalar())
