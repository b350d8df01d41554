"""Small apps for tests of the engine: every way an app may behave, under the test's control."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field, replace
from typing import Any

from patchbay.domain.apps import TriggerKind
from patchbay.domain.base import AppKey, FlowId, Json, StepId
from patchbay.domain.engine import RateLimit
from patchbay.domain.errors import NotFound, ThirdPartyError, TimedOut
from patchbay.domain.fields import Argument
from patchbay.domain.flow_calls import (
    ANSWER_ACTION,
    CALL_FLOW_ACTION,
    CALLED_TRIGGER,
    FLOW_FAILED_TRIGGER,
    PATCHBAY_APP,
)
from patchbay.domain.flows import FlowVersion, Step, StepType, StructuralType
from patchbay.domain.tools import MCP_APP, MCP_TRIGGER
from patchbay.integration.app_definition import Action, App, ContextFunction, OnInterrupted, Trigger
from patchbay.integration.context import Context
from patchbay.integration.polling import polling_trigger


async def _call(ctx: Context) -> None:
    ctx.call_flow(
        FlowId(str(ctx.parameters["flow"])),
        ctx.parameters.get("item"),
        wait=ctx.parameters.get("wait") is not False,
    )


async def _answer(ctx: Context) -> None:
    ctx.set_action_item(ctx.parameters.get("value"))


EVENTS = App(
    name="Patchbay",
    key=PATCHBAY_APP,
    triggers=(
        Trigger(key=CALLED_TRIGGER, name="Called", kind=TriggerKind.EVENT),
        Trigger(key=FLOW_FAILED_TRIGGER, name="A flow failed", kind=TriggerKind.EVENT),
    ),
    actions=(
        Action(key=CALL_FLOW_ACTION, name="Call a flow", run=_call, on_interrupted=OnInterrupted.REPEAT),
        Action(key=ANSWER_ACTION, name="Answer", run=_answer, on_interrupted=OnInterrupted.REPEAT),
    ),
)


TOOLS = App(
    name="MCP", key=MCP_APP, triggers=(Trigger(key=MCP_TRIGGER, name="MCP tool", kind=TriggerKind.EVENT),)
)


@dataclass
class Toy:
    """What the toy service holds and what was asked of it."""

    items: list[tuple[str, str]] = field(default_factory=list)
    """(internal id, text), newest first, as polls find them."""
    problems: dict[str, Exception] = field(default_factory=dict)
    """What polls run into while they handle the item with this id."""
    raws: dict[str, Any] = field(default_factory=dict)
    """Data of items by id, instead of the text."""
    mark: str | None = None
    """What polls mark as known before they give the items."""
    known: frozenset[str] = frozenset()
    """The known IDs that the last poll was given."""
    refusal: Exception | None = None
    """Raised by polls and by the action `refuse`."""
    polls_hang: bool = False
    """Polls get no answer."""
    calls: list[str] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    made: Counter[tuple[str, str]] = field(default_factory=Counter)
    """How often each action was called, by execution and idempotency key."""
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    """The action `slow` waits for it."""
    signs: asyncio.Queue[Exception | None] = field(default_factory=asyncio.Queue)
    """What the watch gets: None is a sign, an exception ends it."""
    listening: int = 0
    """Watches that listen right now."""
    inside: int = 0
    most_inside: int = 0

    def get(self, key: AppKey) -> App:
        found = next((app for app in self.all() if app.key == key), None)
        if found is None:
            raise NotFound(f"There is no app {key}.")
        return found

    def all(self) -> tuple[App, ...]:
        return self.app, EVENTS, TOOLS

    def rate_limits(self) -> dict[AppKey, RateLimit]:
        return {app.app_key: app.rate_limit for app in self.all() if app.rate_limit is not None}

    def __post_init__(self) -> None:
        ask, repeat = OnInterrupted.ASK, OnInterrupted.REPEAT
        with_key = OnInterrupted.REPEAT_WITH_KEY
        self.app = App(
            name="Toy",
            key="toy",
            triggers=(
                Trigger(key="hook", name="Hook", kind=TriggerKind.WEBHOOK),
                Trigger(key="brokenHook", name="Broken hook", kind=TriggerKind.WEBHOOK, run=self._poll),
                Trigger(key="pageHook", name="Page hook", kind=TriggerKind.WEBHOOK, run=self._show_page),
                Trigger(key="poll", name="Poll", run=self._poll),
                polling_trigger(key="listed", name="Listed", items=self._listed),
                Trigger(key="watched", name="Watched", run=self._poll, watch=self._watch),
                Trigger(
                    key="clock",
                    name="Clock",
                    kind=TriggerKind.SCHEDULE,
                    run=self._clock,
                    cron=lambda parameters: str(parameters.get("cron", "0 * * * *")),
                ),
            ),
            actions=(
                Action(key="echo", name="Echo", run=self._echo, on_interrupted=repeat),
                Action(key="refuse", name="Refuse", run=self._refuse),
                Action(key="bug", name="Bug", run=self._bug),
                Action(key="filter", name="Filter", run=self._filter),
                Action(key="delay", name="Delay", run=self._delay),
                Action(key="respond", name="Respond", run=self._respond),
                Action(key="slow", name="Slow", run=self._slow, on_interrupted=ask),
                Action(key="slowRepeat", name="Slow", run=self._slow, on_interrupted=repeat),
                Action(key="slowWithKey", name="Slow", run=self._slow, on_interrupted=with_key),
                Action(key="odd", name="Odd", run=self._odd),
                Action(key="useTool", name="Use a tool", run=self._use_tool),
                Action(key="remember", name="Remember", run=self._remember),
                Action(
                    key="parse",
                    name="Parse",
                    run=self._echo,
                    arguments=(Argument(key="value", label="Value", variables=True, value_type="parse"),),
                ),
            ),
        )
        noted = tuple(replace(action, run=self._noted(action.run)) for action in self.app.actions)
        self.app = replace(self.app, actions=noted)

    def _noted(self, run: ContextFunction) -> ContextFunction:
        async def noted(ctx: Context) -> None:
            self.made[ctx.execution.id, ctx.idempotency_key] += 1
            await run(ctx)

        return noted

    async def _listed(self, ctx: Context) -> AsyncGenerator[tuple[Json, str], None]:
        self.calls.append("poll")
        for internal_id, text in tuple(self.items):
            yield {"text": text}, internal_id

    async def _use_tool(self, ctx: Context) -> None:
        """Call the flow `flow` as a tool, `times` times at once."""
        flow_id = FlowId(str(ctx.parameters["flow"]))
        calls = [ctx.call_tool(flow_id, {"n": 1}) for _ in range(int(str(ctx.parameters.get("times", 1))))]
        results = await asyncio.gather(*calls)
        ctx.set_action_item([{"output": one.output, "isError": one.is_error} for one in results])

    async def _show_page(self, ctx: Context) -> None:
        """Respond to every request, and start the flow unless it has no body."""
        assert ctx.request is not None
        ctx.respond(200, {"x-toy": "page"}, "page")
        if ctx.request.body is not None:
            await ctx.push_request_item(ctx.request.body, str(ctx.request.body))

    async def _poll(self, ctx: Context) -> None:
        self.calls.append("poll")
        if self.polls_hang:
            await asyncio.Event().wait()
        if self.refusal is not None:
            raise self.refusal
        self.known = ctx.known_ids
        if self.mark is not None:
            ctx.mark_known(self.mark)
        for internal_id, text in self.items:
            with ctx.guard_item(internal_id, name=text):
                if (problem := self.problems.get(internal_id)) is not None:
                    raise problem
                ctx.push_trigger_item(self.raws.get(internal_id, {"text": text}), internal_id)

    async def _watch(self, ctx: Context) -> AsyncGenerator[None, None]:
        self.calls.append("watch")
        self.listening += 1
        try:
            yield
            while (sign := await self.signs.get()) is None:
                yield
        finally:
            self.listening -= 1
        raise sign

    async def _clock(self, ctx: Context) -> None:
        at = ctx.now + 1 if ctx.execution.test_run else ctx.now
        ctx.push_trigger_item({"at": at, "zone": ctx.time_zone})

    async def _echo(self, ctx: Context) -> None:
        self.calls.append(str(ctx.parameters.get("say", "")))
        self.keys.append(ctx.idempotency_key)
        ctx.set_action_item(dict(ctx.parameters))

    async def _refuse(self, ctx: Context) -> None:
        self.calls.append("refuse")
        if self.refusal is not None:
            raise self.refusal
        ctx.set_action_item({"done": True})

    async def _bug(self, ctx: Context) -> None:
        raise KeyError("sk-very-secret")

    async def _filter(self, ctx: Context) -> None:
        if ctx.parameters.get("pass") != "yes":
            ctx.execution.exit("“pass” is not “yes”.")
        ctx.set_action_item({})

    async def _delay(self, ctx: Context) -> None:
        ctx.set_action_item({"waited": True})
        ctx.park(ctx.now + int(str(ctx.parameters.get("ms", "60000"))))

    async def _respond(self, ctx: Context) -> None:
        ctx.respond(201, {"x-toy": "yes"}, str(ctx.parameters.get("body", "")))

    async def _slow(self, ctx: Context) -> None:
        self.calls.append(f"slow {ctx.parameters.get('say', '')}".strip())
        self.keys.append(ctx.idempotency_key)
        self.inside += 1
        self.most_inside = max(self.most_inside, self.inside)
        try:
            await self.gate.wait()
        finally:
            self.inside -= 1
        ctx.set_action_item({"done": True})

    async def _odd(self, ctx: Context) -> None:
        ctx.set_action_item({"when": object()})  # type: ignore[dict-item]

    async def _remember(self, ctx: Context) -> None:
        before = await ctx.datastore.get("count")
        count = (before if isinstance(before, int) else 0) + 1
        await ctx.datastore.set("count", count)
        ctx.set_action_item({"count": count})


def too_many(retry_after: float = 30.0) -> ThirdPartyError:
    return ThirdPartyError(app="Toy", said="slow down", status=429, retry_after=retry_after)


def wrong_key() -> ThirdPartyError:
    return ThirdPartyError(
        app="Toy",
        said="Invalid key",
        status=401,
        details={"error": "Invalid key"},
        request="GET /me",
        meaning="The API key was not accepted.",
        todo="Reconnect it.",
    )


def late() -> TimedOut:
    return TimedOut("Toy did not answer within 30 seconds.")


def flow(
    trigger: str,
    *actions: str | tuple[str, dict[str, Any]],
    flow_id: str = "f1",
    number: int = 1,
    parameters: dict[str, Any] | None = None,
    **step_fields: Any,
) -> FlowVersion:
    """A flow of the toy app. Its steps have the ids `<flow>-0`, `<flow>-1`, …

    `step_fields` are set on every action (`continue_on_error=True`, `connection_id="c1"`).
    """
    steps = [
        Step(
            id=StepId(f"{flow_id}-0"),
            type=StepType.TRIGGER,
            app_key=_app_of(trigger),
            key=trigger,
            parameters=parameters or {},
        )
    ]
    for position, action in enumerate(actions, start=2):
        key, given = (action, {}) if isinstance(action, str) else action
        steps.append(
            Step.model_validate(
                {
                    "id": f"{flow_id}-{position - 1}",
                    "type": StepType.ACTION,
                    "app_key": _app_of(key),
                    "key": key,
                    "position": position,
                    "parameters": given,
                    **step_fields,
                }
            )
        )
    return FlowVersion(flow_id=FlowId(flow_id), number=number, name=f"Flow {flow_id}", steps=tuple(steps))


def _app_of(key: str) -> AppKey:
    if key == MCP_TRIGGER:
        return MCP_APP
    return (
        PATCHBAY_APP
        if key in (CALLED_TRIGGER, FLOW_FAILED_TRIGGER, CALL_FLOW_ACTION, ANSWER_ACTION)
        else AppKey("toy")
    )


Shape = tuple[int, StructuralType, int | None, dict[str, Any]]


def tree(version: FlowVersion, *shape: tuple[int, StructuralType, int | None, dict[str, Any]]) -> FlowVersion:
    """The same flow with some of its actions made into steps that hold others.

    Each shape is the place of a step (from 0), what it is, the place of the step that holds it, and more of
    its fields. `SINGLE` only moves a step into another one.
    """
    steps = list(version.steps)
    for place, kind, holder, fields in shape:
        held = {"structural_type": kind, "parent_step_id": None if holder is None else steps[holder].id}
        if kind is not StructuralType.SINGLE:
            held |= {"app_key": None, "key": None}
        steps[place] = Step.model_validate(steps[place].model_dump() | held | fields)
    return version.model_copy(update={"steps": tuple(steps)})
