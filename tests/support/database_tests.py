"""What must hold for the app of any database server. A test file says which, starts it and adds its own."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.support.database_steps import DatabaseSteps, columns, where
from tests.support.databases import DATABASE, PASSWORD, USER, DatabaseServer
from tests.support.forms import in_forms
from tests.support.living_flows import open_runtime_with
from tests.support.processes import program, run
from tests.support.workspace import WorkspaceRuntime

from patchbay.domain.connections import Connection, ConnectionHealth
from patchbay.domain.errors import ThirdPartyError, Unreachable, ValidationFailed

DROP = "id) VALUES (1); DROP TABLE orders; --"
INJECTION = "x'); DROP TABLE orders; -- \\' \" ` {{x}} %s $1 ? \U0001f600"


class DatabaseTests:
    """Written once, run against each server."""

    kind: type[DatabaseServer]
    table: dict[str, str] = {}
    place = "?"
    orders = "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer VARCHAR(200), total NUMERIC(10,2))"
    sleep = ""
    """A query that takes a minute."""
    numbers = ""
    """A query for the numbers from 1 to 1500."""
    wrong_password = ""
    """What the server says to it."""

    @pytest.fixture
    async def runtime(self, tmp_path: Path) -> AsyncIterator[WorkspaceRuntime]:
        opened = await open_runtime_with(tmp_path, self.kind.key, "webhook", "datastore")
        yield opened
        await opened.close()

    @pytest.fixture
    async def connection(self, runtime: WorkspaceRuntime, server: DatabaseServer) -> Connection:
        server.sql("DROP TABLE IF EXISTS orders")
        server.sql(self.orders)
        return await runtime.backend.add_connection(self.kind.key, server.account())

    @pytest.fixture
    def db(self, runtime: WorkspaceRuntime, connection: Connection) -> DatabaseSteps:
        return DatabaseSteps(runtime, connection, **self.table)

    def stored(self, server: DatabaseServer, what: str = "*") -> list[str]:
        """The rows of `orders`, as the server's own client shows them."""
        return server.sql(f"SELECT {what} FROM orders ORDER BY id").split("\n")

    # Connections

    async def test_a_good_password_is_accepted_and_an_unnamed_account_gets_a_name(self, runtime, server):
        nameless = await runtime.backend.add_connection(self.kind.key, server.account())
        named = await runtime.backend.add_connection(self.kind.key, server.account(screenName="Shop"))
        tested = await runtime.backend.test_connection(nameless.id)

        assert nameless.screen_name == f"{USER}@127.0.0.1/{DATABASE}"
        assert named.screen_name == "Shop"
        assert nameless.formatted_data["version"][0].isdigit()
        assert "password" not in nameless.formatted_data
        assert tested.health is ConnectionHealth.VALID

    async def test_a_wrong_password_is_reported_in_the_servers_words_and_nothing_is_stored(
        self, runtime, server
    ):
        with pytest.raises(ThirdPartyError) as refused:
            await runtime.backend.add_connection(self.kind.key, server.account(password="mistyped-99"))

        assert self.wrong_password in refused.value.said
        assert isinstance(refused.value.details, dict)
        assert str(refused.value.details["sqlstate"]).startswith("28")
        assert refused.value.rejects_credentials
        assert "mistyped-99" not in refused.value.text() + str(refused.value.extra())
        assert await runtime.backend.list_connections() == ()

    async def test_a_closed_port_and_an_unknown_host_are_distinguished(self, runtime, server):
        said = []
        for changes in ({"port": "1"}, {"host": "nowhere.invalid"}):
            with pytest.raises(Unreachable) as refused:
                await runtime.backend.add_connection(self.kind.key, server.account(**changes))
            said.append(refused.value.happened)

        assert said == [
            "127.0.0.1:1 refused the connection.",
            f"The host nowhere.invalid:{server.port} wasn't found.",
        ]

    async def test_an_invalid_port_is_reported_at_its_field(self, runtime, server):
        with pytest.raises(ValidationFailed) as refused:
            await runtime.backend.add_connection(self.kind.key, server.account(port="many"))

        assert list(refused.value.fields()) == ["port"]

    def test_the_terminal_connects_with_the_right_password_only(self, server, tmp_path):
        passphrase = tmp_path / "passphrase"
        passphrase.write_text("correct horse")
        passphrase.chmod(0o600)
        account = {**server.account(), "screenName": "Shop"}
        del account["password"]
        fields = [word for key, value in account.items() for word in ("--field", f"{key}={value}")]
        words = ["connection", "add", "--app", self.kind.key, *fields, "--secret-stdin", "password", "--json"]
        command = program("--passphrase-file", passphrase, *words, data=tmp_path / "data")

        wrong = run(command, stdin="mistyped-99\n")
        right = run(command, stdin=f"{PASSWORD}\n")

        assert (wrong.code, wrong.out) == (1, "")
        assert self.wrong_password in wrong.err
        assert "mistyped-99" not in wrong.err
        assert (right.code, right.json["screenName"], right.json["health"]) == (0, "Shop", "valid")

    async def test_encryption_is_used_when_the_certificate_can_be_trusted(self, runtime, server):
        with pytest.raises(Unreachable, match="isn't trusted"):
            await runtime.backend.add_connection(self.kind.key, server.account(enableSsl="true"))
        account = server.account(enableSsl="true", caCertificate=server.authority)
        made = await runtime.backend.add_connection(self.kind.key, account)

        assert made.health is ConnectionHealth.VALID

    async def test_without_encryption_at_the_server_nothing_is_sent_when_it_was_requested(
        self, runtime, server
    ):
        server.stop()
        server.start(tls=False)
        try:
            with pytest.raises(Unreachable, match="doesn't support encrypted connections"):
                await runtime.backend.add_connection(self.kind.key, server.account(enableSsl="true"))
        finally:
            server.stop()
            server.start()

    async def test_an_invalid_certificate_is_reported_at_its_field(self, runtime, server):
        account = server.account(enableSsl="true", caCertificate="what is this")

        with pytest.raises(ValidationFailed) as refused:
            await runtime.backend.add_connection(self.kind.key, account)

        assert list(refused.value.fields()) == ["caCertificate"]

    # Steps

    async def test_rows_are_inserted_changed_deleted_and_found(self, db, server):
        for number, customer in enumerate(("Ada", "Bob", "Cyd"), 1):
            await db.insert("orders", id=str(number), customer=customer, total=f"{number}0.50")
        changed = await db.out(
            "update",
            **db.on("orders"),
            columnValueEntries=columns(total="99"),
            whereClauseEntries=[where("id", "IN", "1, 3"), where("customer", "LIKE", "A%")],
        )
        deleted = await db.out(
            "delete", **db.on("orders"), whereClauseEntries=[where("id", "BETWEEN", "2,3")]
        )
        found = await db.query(f"SELECT customer, total FROM orders WHERE total > {self.place}", "1")

        assert (changed["rowCount"], deleted["rowCount"]) == (1, 2)
        assert found == {"rowCount": 1, "rows": [{"customer": "Ada", "total": "99.00"}]}
        assert len(self.stored(server)) == 1

    async def test_what_looks_like_sql_stays_a_value(self, db, server):
        await db.insert("orders", id="1", customer=INJECTION)
        await db.out(
            "update",
            **db.on("orders"),
            columnValueEntries=columns(total="5"),
            whereClauseEntries=[where("customer", "=", INJECTION)],
        )
        found = await db.rows(f"SELECT customer FROM orders WHERE customer = {self.place}", INJECTION)
        nothing = await db.out(
            "delete", **db.on("orders"), whereClauseEntries=[where("customer", "=", "' OR '1'='1")]
        )

        assert found == [{"customer": INJECTION}]
        assert nothing["rowCount"] == 0
        assert self.stored(server, "id")[0] == "1"

    @pytest.mark.parametrize("name", in_forms(['id"; --', "id`; --", DROP], short=['id"; --']))
    async def test_what_looks_like_sql_stays_a_name(self, db, server, name):
        as_column = await db.error("insert", **db.on("orders"), columnValueEntries=columns(**{name: "1"}))
        as_table = await db.error("insert", **db.on(f"orders {name}"), columnValueEntries=columns(id="1"))

        assert {as_column["kind"], as_table["kind"]} == {"HttpError"}
        assert "doesn't exist" in as_column["meaning"]
        assert self.stored(server) == [""]

    async def test_changes_without_a_condition_are_refused(self, db, server):
        await db.insert("orders", id="1", customer="Ada")
        fresh_row = {"columnName": "", "operator": "=", "value": ""}
        blank_row = fresh_row | {"columnName": " "}

        updated = await db.error(
            "update", **db.on("orders"), columnValueEntries=columns(total="1"), whereClauseEntries=[blank_row]
        )
        deleted = await db.error("delete", **db.on("orders"), whereClauseEntries=[blank_row])
        with pytest.raises(ValidationFailed, match="In row 1 of “Conditions”, “Column” is required"):
            await db.error("delete", **db.on("orders"), whereClauseEntries=[fresh_row])

        assert "at least one condition" in updated["happened"]
        assert "at least one condition" in deleted["happened"]
        assert self.stored(server, "customer") == ["Ada"]

    async def test_empty_values_are_null_unless_texts_are_meant(self, db):
        await db.insert("orders", id="1", customer="", total="")
        text = {"columnName": "customer", "value": ""}
        await db.out(
            "insert",
            **db.on("orders"),
            emptyValues="text",
            columnValueEntries=[{"columnName": "id", "value": "2"}, text],
        )

        found = await db.rows("SELECT customer, total FROM orders ORDER BY id")

        assert found == [{"customer": None, "total": None}, {"customer": "", "total": None}]

    async def test_a_long_result_is_cut_and_says_so(self, db):
        cut = await db.query(self.numbers)

        assert (cut["rowCount"], len(cut["rows"])) == (1000, 1000)
        assert "Only the first 1000 rows" in cut["note"]

    async def test_columns_of_the_same_name_are_all_there(self, db):
        assert await db.rows("SELECT 1 AS n, 2 AS n, 3 AS m") == [{"n": 1, "n_2": 2, "m": 3}]

    async def test_what_the_server_refuses_is_reported_in_its_words_with_its_code(self, db):
        await db.insert("orders", id="1")
        twice = await db.error("insert", **db.on("orders"), columnValueEntries=columns(id="1"))
        missing = await db.error("SQLQuery", queryStatement="SELECT * FROM nowhere")

        assert twice["response"]["sqlstate"].startswith("23")
        assert "uplicate" in twice["said"]
        assert missing["response"]["sqlstate"].startswith("42")
        assert "nowhere" in missing["said"]
        assert missing["request"] == "SELECT * FROM nowhere"

    async def test_dropdowns_offer_tables_and_columns(self, db):
        tables = await db.options("listTables", **self.table)
        offered = await db.options("listColumns", **db.on("orders"))

        assert tables == ["orders"]
        assert [label.split(" (")[0] for label in offered] == ["id", "customer", "total"]
        assert "(numeric(10,2))" in offered[2] or "(decimal(10,2))" in offered[2]
