"""Single steps of a database app, run in a whole local workspace."""

from typing import Any

from tests.support.living_flows import change
from tests.support.workspace import WorkspaceRuntime

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.connections import Connection
from patchbay.domain.executions import ExecutionStep


class DatabaseSteps:
    """Steps of one app with one connection. `schema` is given where tables need one."""

    def __init__(self, runtime: WorkspaceRuntime, connection: Connection, **table: str) -> None:
        self.runtime = runtime
        self.connection = connection
        self._table = table

    async def run(self, key: str, **parameters: Any) -> ExecutionStep:
        """What a step with these parameters ends with, run as the editor's test does."""
        made = change(self.connection.app_key, key, self.connection.id, **parameters)
        flow = await self.runtime.skipped(await self.runtime.flow(change("tools", "catch"), made))
        return (await self.runtime.backend.test_step(flow.steps[1].id)).result

    async def out(self, key: str, **parameters: Any) -> Any:
        """The output of a step that must succeed."""
        done = await self.run(key, **parameters)
        assert done.error_details is None, done.error_details
        return done.data_out

    async def error(self, key: str, **parameters: Any) -> dict[str, Any]:
        """The error of a step that must fail."""
        failed = await self.run(key, **parameters)
        assert failed.error_details is not None, failed.data_out
        return failed.error_details

    async def query(self, sql: str, *values: Json, **more: Any) -> Any:
        """The output of an SQL query."""
        return await self.out("SQLQuery", queryStatement=sql, values=rows_of(values), **more)

    async def rows(self, sql: str, *values: Json) -> list[Any]:
        found: list[JsonObject] = (await self.query(sql, *values))["rows"]
        return found

    def on(self, table: str) -> dict[str, str]:
        """The parameters that name a table."""
        return {**self._table, "table": table}

    async def insert(self, table: str, **values: Json) -> Any:
        return await self.out("insert", **self.on(table), columnValueEntries=columns(**values))

    async def options(self, loader: str, **parameters: str) -> list[str]:
        """The labels a dropdown of the insert step offers."""
        made = change(self.connection.app_key, "insert", self.connection.id)
        flow = await self.runtime.flow(change("tools", "catch"), made)
        found = await self.runtime.backend.dynamic_options(flow.steps[1].id, loader, dict(parameters))
        return [option.label for option in found]


def rows_of(values: tuple[Json, ...]) -> list[Any]:
    """Values as rows of a form; a mapping is a row already."""
    return [value if isinstance(value, dict) else {"value": value} for value in values]


def columns(**values: Json) -> list[Any]:
    return [{"columnName": name, "value": value} for name, value in values.items()]


def where(column: str, operator: str, value: Json = "") -> dict[str, Any]:
    return {"columnName": column, "operator": operator, "value": value}
