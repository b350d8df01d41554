"""A list as long as wanted, made while it is read, for the windowed model."""

from tests.support.fake_workspace import NOW

from patchbay.domain.base import ExecutionId, FlowId
from patchbay.domain.executions import Execution, ExecutionState, FlowRef
from patchbay.domain.paging import Page, PageRequest


class LongList:
    """Executions by number, newest first; `asked` keeps each request."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.asked: list[PageRequest] = []
        self.error: Exception | None = None

    async def fetch(self, request: PageRequest, first: Execution | None) -> Page[Execution]:
        self.asked.append(request)
        if self.error:
            raise self.error
        start = int(request.cursor) if request.cursor else (request.page - 1) * request.limit
        end = min(start + request.limit, self.total)
        items = tuple(execution(number) for number in range(start, end))
        cursor = str(end) if end < self.total else None
        return Page(items=items, total=self.total, page=request.page, limit=request.limit, next_cursor=cursor)


def execution(number: int, state: ExecutionState = ExecutionState.SUCCESS) -> Execution:
    return Execution(
        id=ExecutionId(f"exec-{number}"),
        flow=FlowRef(id=FlowId("flow"), name=f"Flow {number}"),
        state=state,
        created_at=NOW - number * 1000,
    )
