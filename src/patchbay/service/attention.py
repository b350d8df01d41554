"""Why flows can't work now, and what to do: connections, the desktop, and what the engine rejects."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from patchbay.domain.apps import EventInfo
from patchbay.domain.audit_log import ActorKind
from patchbay.domain.base import AppKey, ConnectionId
from patchbay.domain.connections import Connection, ConnectionHealth
from patchbay.domain.errors import AppError
from patchbay.domain.flows import FlowVersion, Step, StepType
from patchbay.engine.run_permits import foreign_connection_error
from patchbay.service.service_context import ServiceContext

MAX_SHOWN_PATH = 200
_RECONNECT = "Reconnect it in My Apps."
_CHOOSE_CONNECTION = "Choose another connection in its step."
_USE_HERE = "Use it on “This computer” instead."
_STOP_SERVER = (
    "Stop “patchbay serve”, and keep the Patchbay window open on “This computer”: "
    "then the window runs the flows."
)
_MOVE_FLOW = (
    "Export the flow, and import it in a Patchbay window on “This computer”. There, the window has to run "
    "the flows: no “patchbay serve”, and no other program that shares their database."
)


class Attention(NamedTuple):
    """Why a flow can't work, as a sentence without its full stop, and what to do about it."""

    reason: str
    todo: str = ""


CALLS_UNPUBLISHED_FLOW = Attention(
    "Calls a flow that isn't published", "Publish that flow, or choose another one in the step."
)


class FlowState(NamedTuple):
    """What is known about a flow that may need attention."""

    draft: Sequence[Step]
    published: FlowVersion | None = None
    foreign: frozenset[ConnectionId] = frozenset()
    """The connections that the published version may not use."""
    calls_unpublished: bool = False
    """Whether the published version calls a flow that can't be called now."""

    @property
    def steps(self) -> Sequence[Step]:
        """The steps that run: of the published version, or of the draft if there is none."""
        return self.draft if self.published is None else self.published.steps

    @property
    def is_edited(self) -> bool:
        """Whether the draft isn't what is published, so that its steps may have other numbers."""
        return self.published is not None and _compared(self.draft) != _compared(self.published.steps)


class AttentionFinder:
    """Finds why flows can't work now. `connections` are those that exist. Belongs to the event loop."""

    def __init__(self, context: ServiceContext, connections: Mapping[ConnectionId, Connection]) -> None:
        self._context, self._connections = context, connections

    def find(self, flow: FlowState) -> Attention | None:
        """Why this flow can't work now; None if it can."""
        found = self._find_step_problem(flow.steps)
        if found is None and flow.published is not None:
            found = self._find_rejection(flow.published, flow.foreign)
        if found is None and flow.published is not None:
            found = self._find_listening_problem(flow.published)
        if found is None and flow.calls_unpublished:
            found = CALLS_UNPUBLISHED_FLOW
        return _about_published_version(found) if found is not None and flow.is_edited else found

    def _find_step_problem(self, steps: Sequence[Step]) -> Attention | None:
        for check in (self._connection_problem, self._desktop_problem, self._program_problem):
            for step in steps:
                if step.app_key and (found := check(step, step.app_key)) is not None:
                    return found
        return None

    def _find_rejection(self, version: FlowVersion, foreign: frozenset[ConnectionId]) -> Attention | None:
        """Why the engine would reject each run of the version, as it does before the first step."""
        error = self._context.engine.find_rejection(version)
        if error is None and foreign:
            step = next(step for step in version.steps if step.connection_id in foreign)
            error = foreign_connection_error(step.position, self._app_name(step.app_key or AppKey("")))
        return None if error is None else Attention(error.happened.removesuffix("."), error.todo)

    def _find_listening_problem(self, version: FlowVersion) -> Attention | None:
        """Why the engine can't notice the events of the desktop that start the version."""
        problem = self._context.engine.listening_problem(version.flow_id)
        if problem is None:
            return None
        return Attention(f"Doesn't start: {_inside_sentence(problem.happened)}", problem.todo)

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
        return Attention(f"{happens}: {where}", _USE_HERE if demo else self._desktop_todo())

    def _desktop_todo(self) -> str:
        """How to get a desktop. A window replaces a server only on its computer, with its own database."""
        is_elsewhere = self._context.actor.kind is ActorKind.KEY
        return _MOVE_FLOW if is_elsewhere or self._context.db.peers is not None else _STOP_SERVER

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


def _compared(steps: Sequence[Step]) -> list[tuple[object, ...]]:
    """What makes two versions of steps differ, apart from their tests."""
    return [(step.id, step.app_key, step.key, step.connection_id, step.parameters) for step in steps]


def _about_published_version(found: Attention) -> Attention:
    """The same, if the draft was edited since: a step number is that of the published version."""
    reason, todo = found
    if reason.startswith("Step "):
        reason = f"In the published version, s{reason[1:]}"
    return Attention(reason, f"{todo} If you have changed that already, publish the flow.".lstrip())


def _inside_sentence(sentence: str) -> str:
    """The sentence without a full stop, and with a small first letter unless it begins with a name."""
    is_name = sentence.startswith(("Patchbay", "Wayland", "Windows", "X11", "“"))
    return (sentence if is_name else sentence[:1].lower() + sentence[1:]).removesuffix(".")


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
