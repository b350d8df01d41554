"""A folder that is allowed, and calls of the apps that use its files, as the engine makes them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.app_calls import NOON, built_in_action, built_in_trigger, context
from tests.support.shared_workers import SharedWorkers

from patchbay.integration.context import Context, InMemoryDatastore, collect_items
from patchbay.integration.local_files import FileAccess, LocalFiles


class InlineWorkers:
    """Calls what usually runs in worker processes at once, for tests of many cases."""

    async def run(self, function: Callable[..., Any], *arguments: Any, **_: Any) -> Any:
        """The result of the function."""
        return function(*arguments)


@dataclass
class SharedFolder:
    """Runs actions and polls of an app. `stored` has the IDs of the events that the engine accepted."""

    app: str
    path: Path
    allowed: list[str] = field(default_factory=list)
    now: int = NOON
    datastore: InMemoryDatastore = field(default_factory=InMemoryDatastore)
    stored: set[str] = field(default_factory=set)
    workers: Callable[[], Any] = SharedWorkers

    def __post_init__(self) -> None:
        self.allowed.append(str(self.path))
        self.access = FileAccess(LocalFiles(lambda: tuple(self.allowed)))

    def file(self, name: str) -> str:
        """The path of a file in the folder."""
        return str(self.path / name)

    def context(self, parameters: dict[str, Any], **more: Any) -> Context:
        """The context of one call."""

        async def seen(internal_ids: Any) -> frozenset[str]:
            return frozenset(internal_ids) & self.stored

        return context(
            self.app,
            parameters,
            file_access=self.access,
            datastore=self.datastore,
            find_seen_ids=seen,
            now=self.now,
            **more,
        )

    async def run(self, action: str, **parameters: Any) -> Any:
        """The output of an action."""
        ctx = self.context(parameters, workers=self.workers())
        await built_in_action(self.app, action).run(ctx)
        return ctx.action_output

    async def poll(
        self, trigger: str, *, baseline: bool = False, accept: bool = True, **parameters: Any
    ) -> list[Any]:
        """The events of one poll, oldest first. `accept`: whether the engine stores them."""
        found = built_in_trigger(self.app, trigger)
        assert found.run is not None
        ctx = self.context(parameters, workers=self.workers(), is_baseline=baseline)
        items = await collect_items(found.run, ctx)
        if accept:
            self.stored |= {item.internal_id for item in items if item.internal_id}
        return [item.raw for item in reversed(items) if item.starts]

    async def publish(self, trigger: str, **parameters: Any) -> None:
        """Publish a flow with this trigger."""
        await self.poll(trigger, baseline=True, **parameters)
