"""Flows of every kind a life can take, and what holds of executions whatever happens to them."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.support.lives import Life, Row
from tests.support.toy_apps import Toy, flow, tree

from patchbay.domain.base import ExecutionId, FlowId
from patchbay.domain.executions import ExecutionState, Origin, StepState
from patchbay.domain.flow_calls import ANY_FLOW
from patchbay.domain.flows import FlowSettings, FlowVersion, StructuralType

SINGLE = StructuralType.SINGLE
PATHS = StructuralType.PATHS
BRANCH = StructuralType.BRANCH
EACH = StructuralType.EACH
BODY: dict[str, Any] = {"list": ["a", "b"]}
TOLD = "told"
"""The flow that receives failures."""
TRIES = {"attempts": 3, "first_pause_seconds": 10}


def life_flows() -> list[FlowVersion]:
    """Those that start by webhook have ids that begin with "hook"."""
    listed = {"parameters": {"list": "{{step.hook-loop-0.body.list}}"}}
    loop = tree(
        flow("hook", "echo", "refuse", "slow", "echo", flow_id="hook-loop"),
        (1, EACH, None, listed),
        (2, SINGLE, 1, {"continue_on_error": True}),
        (3, SINGLE, 1, {}),
    )
    forgiving = tree(
        flow("hook", "echo", "refuse", "delay", "echo", flow_id="hook-forgiving"),
        (1, EACH, None, {"parameters": {"list": BODY["list"]}, "continue_on_error": True}),
        (2, SINGLE, 1, {}),
        (3, SINGLE, 1, {}),
    )
    is_a = {"key": "{{step.hook-paths-1.item}}", "operator": "equal", "value": "a"}
    paths = tree(
        flow(
            "hook",
            "echo",
            "echo",
            "echo",
            ("filter", {"pass": "no"}),
            "echo",
            "slowRepeat",
            "refuse",
            "echo",
            flow_id="hook-paths",
        ),
        (1, EACH, None, {"parameters": {"list": BODY["list"]}}),
        (2, PATHS, 1, {}),
        (3, BRANCH, 2, {"branch_conditions": [{"and": [is_a]}]}),
        (4, SINGLE, 3, {}),
        (5, BRANCH, 2, {"branch_conditions": [{"and": []}]}),
        (6, SINGLE, 5, {}),
        (7, SINGLE, 5, {"continue_on_error": True}),
    )
    return [
        flow("hook", "echo", "echo", flow_id="hook-plain"),
        flow("hook", "refuse", "echo", flow_id="hook-refuse"),
        flow("hook", "refuse", "slowWithKey", flow_id="hook-tries", policy=TRIES),
        flow("hook", "refuse", "bug", "echo", flow_id="hook-on", continue_on_error=True),
        flow("hook", "slow", "delay", "echo", flow_id="hook-slow"),
        flow("hook", "slowRepeat", "echo", flow_id="hook-one"),
        flow("hook", "filter", "echo", flow_id="hook-filter"),
        loop,
        forgiving,
        paths,
        flow("hook", ("callFlow", {"flow": "called"}), "echo", flow_id="hook-call"),
        flow("hook", ("callFlow", {"flow": "called", "wait": False}), "echo", flow_id="hook-send"),
        flow("called", "refuse", "slow", "delay", "answer", flow_id="called"),
        flow("flowFailed", "refuse", flow_id=TOLD, parameters={"flow": ANY_FLOW}),
    ]


def settings_of(flow_id: FlowId) -> FlowSettings:
    """One flow runs one at a time, one is paused after failures."""
    return FlowSettings(
        max_concurrent=1 if flow_id == "hook-one" else None,
        pause_after=4 if flow_id == "hook-refuse" else None,
    )


@dataclass
class Watch:
    """Looks at all executions again and again, and finds what must never be."""

    toy: Toy
    events: int = 0
    again: Counter[Origin] = field(default_factory=Counter)
    """Retries and replays that were made."""
    ended: dict[ExecutionId, Life] = field(default_factory=dict)
    calls: dict[tuple[ExecutionId, int], int] = field(default_factory=dict)
    """How often each step that succeeded had been called by then."""

    def look(self, seen: Mapping[ExecutionId, Life]) -> None:
        self._numbers(seen.values())
        self._failures(seen)
        for one in seen.values():
            self._stays(one)
            self._done_once(one)
            self._waits_for_something(one, seen)
            if one.origin_kind is Origin.RETRY and one.origin_id is not None:
                self._goes_on(one, seen[one.origin_id])
        for key in self.ended:
            assert key in seen

    def _numbers(self, seen: Iterable[Life]) -> None:
        """Each execution has a cause, and each cause one execution."""
        kinds = Counter(one.origin_kind for one in seen)
        assert kinds[None] == self.events
        assert kinds[Origin.RETRY] == self.again[Origin.RETRY]
        assert kinds[Origin.REPLAY] == self.again[Origin.REPLAY]

    def _failures(self, seen: Mapping[ExecutionId, Life]) -> None:
        told = Counter(one.origin_id for one in seen.values() if one.origin_kind is Origin.FAILURE)
        failed = [one for one in seen.values() if one.state is ExecutionState.FAILURE]
        heard = [one.id for one in failed if one.origin_seq is None and not _led_by_failure(one, seen)]
        assert told == Counter(heard)

    def _stays(self, one: Life) -> None:
        if one.state.finished:
            assert self.ended.setdefault(one.id, one) == one
            assert all(step.status != StepState.RUNNING for step in one.steps)

    def _done_once(self, one: Life) -> None:
        done = Counter(step.seq for step in one.steps if step.status == StepState.SUCCESS)
        assert all(count == 1 for count in done.values())
        for step in one.steps:
            if step.status != StepState.SUCCESS:
                continue
            count = self._count(one, step)
            assert self.calls.setdefault((one.id, step.seq), count) == count

    def _goes_on(self, one: Life, failed: Life) -> None:
        """A retry calls nothing again that was done before the failure."""
        last = {step.seq: step for step in failed.steps}
        first = min(seq for seq, step in last.items() if step.status == StepState.FAILURE)
        assert not any(self._count(one, last[seq]) for seq in range(first))

    def _count(self, one: Life, step: Row) -> int:
        place = step.step_id.rsplit("-", 1)[1] + (f".{step.path}" if step.path else "")
        return self.toy.made[one.id, f"{one.run_key or one.id}:{place}"]

    def _waits_for_something(self, one: Life, seen: Mapping[ExecutionId, Life]) -> None:
        if one.state is ExecutionState.WAITING:
            assert (one.wake_at is None) == one.waits_for_flow
        else:
            assert one.wake_at is None
        called = [child for child in seen.values() if child.origin_id == one.id and child.origin_seq]
        assert len(called) == len({child.origin_seq for child in called})
        unfinished = [child for child in called if not child.state.finished]
        assert len(unfinished) == one.waits_for_flow


def _led_by_failure(one: Life, seen: Mapping[ExecutionId, Life]) -> bool:
    while one.origin_kind is not Origin.FAILURE:
        if one.origin_id is None:
            return False
        one = seen[one.origin_id]
    return True
