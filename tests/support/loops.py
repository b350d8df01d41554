"""An execution with a loop, paths in it, and a step after it, as its timeline is given it."""

from collections.abc import Sequence

from tests.support.fake_workspace import NOW

from patchbay.domain.base import AppKey, ExecutionId, FlowId, Json, JsonObject, StepId
from patchbay.domain.executions import Execution, ExecutionState, ExecutionStep, FlowRef, StepRef, StepState
from patchbay.domain.flows import StepType, StructuralType

RUN = ExecutionId("run")

_T = StructuralType


def _ref(key: str, position: int, kind: StructuralType = _T.SINGLE, inside: str | None = None) -> StepRef:
    return StepRef(
        id=StepId(key),
        type=StepType.TRIGGER if position == 1 else StepType.ACTION,
        name=key.title(),
        position=position,
        structural_type=kind,
        parent_step_id=StepId(inside) if inside else None,
        app_key=None if kind.is_container else AppKey("slack"),
    )


STEPS = (
    _ref("start", 1),
    _ref("loop", 2, _T.EACH),
    _ref("fetch", 3, inside="loop"),
    _ref("paths", 4, _T.PATHS, "loop"),
    _ref("big", 5, _T.BRANCH, "paths"),
    _ref("tell", 6, inside="big"),
    _ref("rest", 7, _T.BRANCH, "paths"),
    _ref("end", 8),
)


class LoopRun:
    """Writes down steps one after the other, each 10 ms."""

    def __init__(self, items: Sequence[Json]) -> None:
        self.results: list[ExecutionStep] = []
        self._items = items
        self.add("start")
        self.add("loop", output={"items": [*items]})

    def add(
        self,
        key: str,
        path: str | None = None,
        state: StepState = StepState.SUCCESS,
        *,
        output: Json = None,
        attempt: int = 1,
        warnings: tuple[str, ...] = (),
    ) -> None:
        step, at = next(step for step in STEPS if step.id == key), NOW + len(self.results) * 10
        running = state is StepState.RUNNING
        error: JsonObject | None = {"happened": "It was refused."} if state is StepState.FAILURE else None
        self.results.append(
            ExecutionStep(
                id=f"{len(self.results)}",
                execution_id=RUN,
                step=step,
                seq=len(self.results),
                attempt=attempt,
                status=state,
                data_out=output,
                path=path,
                started_at=at,
                warnings=warnings,
                error_details=error,
                finished_at=None if running else at + 8,
                created_at=at,
                updated_at=at,
            )
        )

    def item(self, at: int, *, big: bool = False, told: StepState = StepState.SUCCESS) -> None:
        """One pass: a big item is told of, others are not."""
        path = str(at)
        self.add("fetch", path)
        self.add(
            "paths", path, output={"taken": ["big" if big else "rest"], "names": ["Big" if big else "Rest"]}
        )
        if big:
            self.add("tell", path, told)

    def all(self, *, big: bool = False) -> "LoopRun":
        for at in range(len(self._items)):
            self.item(at, big=big)
        return self


def loop_execution(state: ExecutionState = ExecutionState.SUCCESS, steps_done: int = 8) -> Execution:
    return Execution(
        id=RUN,
        flow=FlowRef(id=FlowId("flow-loop"), name="Loop", steps=STEPS),
        state=state,
        steps_done=steps_done,
        steps_total=8,
        created_at=NOW,
        finished_at=NOW + 100 if state.finished else None,
    )
