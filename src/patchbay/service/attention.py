"""Why flows can't work now, and what to do about it: connections, the desktop, and allowed programs."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from patchbay.domain.apps import EventInfo
from patchbay.domain.base import AppKey, ConnectionId
from patchbay.domain.connections import Connection, ConnectionHealth
from patchbay.domain.errors import AppError
from patchbay.domain.flows import Step, StepType
from patchbay.service.service_context import ServiceContext

MAX_SHOWN_PATH = 200
_RECONNECT = "Reconnect it in My Apps."
_CHOOSE_CONNECTION = "Choose another connection in its step."


class Attention(NamedTuple):
    """Why a flow can't work, as a sentence without a full stop, and what to do about it."""

    reason: str
    todo: str = ""


CALLS_UNPUBLISHED_FLOW = Attention(
    "Calls a flow that isn't published", "Publish that flow, or choose another one in the step."
)


class AttentionFinder:
    """Finds why flows can't work now. `connections` are those that exist."""

    def __init__(self, context: ServiceContext, connections: Mapping[ConnectionId, Connection]) -> None:
        self._context, self._connections = context, connections

    def find(self, steps: Sequence[Step]) -> Attention | None:
        """Why a flow with these steps can't work now; None if it can."""
        for check in (self._connection_problem, self._desktop_problem, self._program_problem):
            for step in steps:
                if step.app_key and (found := check(step, step.app_key)) is not None:
                    return found
        return None

    def _connection_problem(self, step: Step, app_key: AppKey) -> Attention | None:
        if not step.connection_id:
            return None
        connection = self._connections.get(step.connection_id)
        if connection is None:
            return Attention(f"Its {self._app_name(app_key)} connection was deleted", _CHOOSE_CONNECTION)
        if connection.health is ConnectionHealth.NEEDS_ATTENTION:
            return Attention(f"{self._app_name(app_key)} needs reconnecting", _RECONNECT)
        return None

    def _desktop_problem(self, step: Step, app_key: AppKey) -> Attention | None:
        if self._context.engine.has_desktop or not uses_desktop(self._context, step):
            return None
        demo = self._context.workspace.kind == "demo"
        where = "the demo has no desktop" if demo else "“patchbay serve” runs the flows, without a desktop"
        happens = "Doesn't start" if step.type is StepType.TRIGGER else f"Step {step.position} can't run"
        todo = (
            "Use it on “This computer” instead."
            if demo
            else "Stop “patchbay serve”, and keep the Patchbay window open on “This computer”: then the "
            "window runs the flows."
        )
        return Attention(f"{happens}: {where}", todo)

    def _program_problem(self, step: Step, app_key: AppKey) -> Attention | None:
        event = find_event(self._context, step)
        chosen = step.parameters.get(event.program_argument) if event and event.program_argument else None
        if not chosen or chosen in self._context.engine.programs.allowed:
            return None
        return Attention(
            f"“{str(chosen)[:MAX_SHOWN_PATH]}” isn't an allowed program",
            f"Allow it in Settings → Engine, or choose another program in step {step.position}.",
        )

    def _app_name(self, app_key: AppKey) -> str:
        try:
            return self._context.apps.info(app_key, detail=False).name
        except AppError:
            return app_key


def uses_desktop(context: ServiceContext, step: Step) -> bool:
    """Whether a step needs the desktop of a window."""
    event = find_event(context, step)
    return event is not None and event.uses_desktop


def find_event(context: ServiceContext, step: Step) -> EventInfo | None:
    """The trigger or action of a step, without loading the code of its app; None if there is none."""
    if not step.app_key:
        return None
    try:
        return context.apps.info(step.app_key, detail=False).listed_event(step.key)
    except AppError:
        return None
