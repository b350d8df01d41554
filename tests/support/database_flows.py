"""Flows of the app of any database server, and what becomes of them when the server goes away."""

import asyncio

from tests.support.database_steps import columns, rows_of
from tests.support.database_tests import INJECTION, DatabaseTests
from tests.support.databases import DatabaseServer
from tests.support.forms import long_form
from tests.support.living_flows import change, poll, publish, runs, steps
from tests.support.patience import PATIENCE
from tests.support.workspace import WorkspaceRuntime

from patchbay.domain.connections import Connection, ConnectionHealth
from patchbay.domain.executions import Execution, ExecutionState
from patchbay.domain.flows import StepChange
from patchbay.domain.ports import WebhookRequest


class DatabaseFlows(DatabaseTests):
    """All of `DatabaseTests`, and whole flows."""

    # Flows

    async def test_a_call_is_looked_up_and_its_result_stored(self, runtime, server, connection):
        server.sql("INSERT INTO orders (id, customer) VALUES (1, 'Ada'), (2, 'Bob')")
        name = "{{step.{trigger}.body.name}}"
        sql = f"SELECT max(id) AS last FROM orders WHERE customer <> {self.place}"
        query = change(self.kind.key, "SQLQuery", connection.id, queryStatement=sql, values=rows_of((name,)))
        insert = change(
            self.kind.key,
            "insert",
            connection.id,
            **self.table,
            table="orders",
            columnValueEntries=columns(id="{{step.{2}.rows.0.last}}0", customer=name, total="7.5"),
        )

        execution = await self.called(runtime, query, insert)
        done = await steps(runtime, execution)

        assert execution.state is ExecutionState.SUCCESS, done
        assert done[1].data_out["rows"] == [{"last": 2}]
        assert done[2].data_out["rowCount"] == 1
        assert self.stored(server, "id") == ["1", "2", "20"]
        assert server.sql("SELECT total FROM orders WHERE id = 20") == "7.50"

    async def test_a_reference_in_a_statement_is_refused_rather_than_put_in(
        self, runtime, server, connection
    ):
        sql = "SELECT '{{step.{trigger}.body.name}}'"

        execution = await self.called(
            runtime, change(self.kind.key, "SQLQuery", connection.id, queryStatement=sql)
        )
        done = await steps(runtime, execution)

        assert execution.state is ExecutionState.FAILURE
        assert "aren't allowed in the statement" in done[1].error_details["happened"]

    async def called(self, runtime: WorkspaceRuntime, *actions: StepChange) -> Execution:
        """The run of a flow that is called with a name nobody should have."""
        catch = change("webhook", "catchRawWebhook", workSynchronously=False)
        flow = await publish(runtime, catch, *actions)
        request = WebhookRequest(method="POST", headers={}, query={}, body={"name": INJECTION})
        await runtime.engine.deliver(flow.id, request, synchronous=False)
        return (await runs(runtime, 1))[0]

    async def test_new_rows_start_flows_and_old_ones_do_not(self, runtime, server, connection):
        server.sql("INSERT INTO orders (id, customer) VALUES (1, 'Old'), (5, 'Older')")
        await self.published(runtime, connection)

        await poll(runtime)
        server.sql("INSERT INTO orders (id, customer, total) VALUES (6, 'Ada', 1.50), (7, 'Bob', NULL)")
        await poll(runtime)
        await poll(runtime)
        found = await runs(runtime, 2)

        last_first = [await steps(runtime, execution) for execution in found]
        assert [done[0].data_out for done in last_first] == [
            {"id": 7, "customer": "Bob", "total": None},
            {"id": 6, "customer": "Ada", "total": "1.50"},
        ]
        assert [done[1].data_out["value"] for done in last_first] == [7, 6]
        assert [execution.internal_id for execution in found] == ["7", "6"]

    @long_form
    async def test_a_row_committed_late_counts_and_a_deleted_one_brings_no_old_ones_back(
        self, runtime, server, connection
    ):
        server.sql("INSERT INTO orders (id) VALUES (1), (2), (3), (10)")
        await self.published(runtime, connection)

        server.sql("DELETE FROM orders WHERE id = 10")
        server.sql("INSERT INTO orders (id) VALUES (-5), (8)")
        await poll(runtime)
        server.sql("INSERT INTO orders (id) VALUES (7)")
        await poll(runtime)
        found = await runs(runtime, 2)

        assert [execution.internal_id for execution in found] == ["7", "8"]

    @long_form
    async def test_more_rows_than_fit_a_page_start_a_run_each(self, runtime, server, connection, monkeypatch):
        monkeypatch.setattr("patchbay.integration.sql.steps.PAGE_SIZE", 20)
        server.sql("INSERT INTO orders (id) VALUES (0)")
        await self.published(runtime, connection)

        values = ", ".join(f"({number})" for number in range(1, 51))
        server.sql(f"INSERT INTO orders (id) VALUES {values}")
        await poll(runtime)
        found = await runs(runtime, 50)

        assert [execution.internal_id for execution in found] == [str(number) for number in range(50, 0, -1)]

    async def published(self, runtime: WorkspaceRuntime, connection: Connection) -> None:
        await publish(
            runtime,
            change(self.kind.key, "newRow", connection.id, **self.table, table="orders", column="id"),
            change("datastore", "setValue", key="newest", value="{{step.{trigger}.id}}"),
        )

    # When the server goes away

    async def test_a_stopped_server_is_reported_and_the_connection_recovers(
        self, runtime, server, connection
    ):
        await self.published(runtime, connection)
        server.stop()
        try:
            await poll(runtime)
            [execution] = await runs(runtime, 1)
            broken = await runtime.backend.test_connection(connection.id)
        finally:
            server.start()
        working = await runtime.backend.test_connection(connection.id)
        failed = (await steps(runtime, execution))[0].error_details

        assert execution.state is ExecutionState.FAILURE
        assert failed["kind"] == "Unreachable"
        assert failed["happened"] == f"127.0.0.1:{server.port} refused the connection."
        assert broken.health is ConnectionHealth.VALID
        assert "refused the connection" in broken.unreachable
        assert (working.health, working.unreachable) == (ConnectionHealth.VALID, None)

    @long_form
    async def test_a_server_that_goes_away_in_the_middle_of_a_statement_is_reported(self, db, server):
        waiting = asyncio.create_task(db.error("SQLQuery", queryStatement=self.sleep))
        try:
            async with asyncio.timeout(PATIENCE):
                while not await asyncio.to_thread(self.is_busy, server):  # noqa: ASYNC110  only the server knows
                    await asyncio.sleep(0.02)
            await asyncio.to_thread(server.stop)
            error = await waiting
        finally:
            server.start()

        assert error["kind"] == "Unreachable"
        assert "was lost" in error["happened"]
        assert "stopped or restarted" in error["meaning"]

    def is_busy(self, server: DatabaseServer) -> bool:
        """Whether the server is at work on the statement that takes a minute."""
        raise AssertionError("said by the test file")

    async def test_a_statement_that_takes_too_long_is_given_up(self, db, monkeypatch):
        module = f"patchbay.apps.{self.kind.key}.session"
        monkeypatch.setattr(f"{module}.STATEMENT_SECONDS", 1.0)

        error = await db.error("SQLQuery", queryStatement=self.sleep)

        assert error["kind"] == "TimedOut"
