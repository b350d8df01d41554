"""The part of the fake backend that looks through a long history, and its line to the service."""

from typing import Any

from tests.support.fake_queries import matches

from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.executions import Execution, ExecutionFilter, HistoryCopy, HistoryCopyState, SearchPage

STRETCH = 100
"""Executions looked through at once."""


class FakeHistory:
    """A search finds executions whose note or flow holds the text; set `copy` and `offline_since` at will."""

    executions: list[Execution]

    async def _enter(self, name: str, *arguments: Any) -> None: ...
    def announce(self, noun: ResourceType, *ids: str, action: Any = "updated") -> Change: ...

    def prepare_history(self) -> None:
        self.copy = HistoryCopy()
        self.offline_since: int | None = None

    async def search_executions(
        self, text: str, where: ExecutionFilter, cursor: str | None = None
    ) -> SearchPage:
        await self._enter("search_executions", text, where, cursor)
        start = int(cursor or 0)
        stretch = self.executions[start : start + STRETCH]
        wanted = text.casefold()
        items = tuple(
            item
            for item in stretch
            if matches(item, where, self.executions)
            and wanted in f"{item.flow.name} {item.note or ''}".casefold()
        )
        following = start + STRETCH
        return SearchPage(
            items=items, searched=len(stretch), reached=stretch[-1].created_at if stretch else None,
            next_cursor=str(following) if following < len(self.executions) else None,
        )  # fmt: skip

    async def history_copy(self) -> HistoryCopy:
        await self._enter("history_copy")
        return self.copy

    async def start_history_download(self) -> HistoryCopy:
        await self._enter("start_history_download")
        if self.copy.state is not HistoryCopyState.NOT_NEEDED:
            self.copy = self.copy.model_copy(update={"state": HistoryCopyState.READING, "problem": None})
            self.announce(ResourceType.WORKSPACE)
        return self.copy

    async def stop_history_download(self) -> HistoryCopy:
        await self._enter("stop_history_download")
        if self.copy.state is HistoryCopyState.READING:
            self.copy = self.copy.model_copy(update={"state": HistoryCopyState.STOPPED})
            self.announce(ResourceType.WORKSPACE)
        return self.copy
