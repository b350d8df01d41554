"""The part of the fake backend that looks through a long history, and its line to the service."""

from tests.support.fake_queries import matches
from tests.support.fake_state import FakeState

from patchbay.domain.changes import ResourceType
from patchbay.domain.executions import ExecutionFilter, HistoryCopy, HistoryCopyState, SearchPage

STRETCH = 100
"""Executions looked through at once."""


class FakeHistory(FakeState):
    """Part of `FakeBackend`: searching executions by note or flow name. Tests set `copy` and `offline_since`."""

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
            items=items,
            searched=len(stretch),
            reached=stretch[-1].created_at if stretch else None,
            next_cursor=str(following) if following < len(self.executions) else None,
        )

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
