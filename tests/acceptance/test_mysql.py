"""The mysql app against a real MariaDB server."""

from collections.abc import Iterator

import pytest
from tests.support.database_flows import DatabaseFlows
from tests.support.databases import DatabaseServer, MariaDb, running, why_no_mariadb

pytestmark = [
    pytest.mark.acceptance,
    pytest.mark.skipif(bool(why_no_mariadb()), reason=why_no_mariadb()),
]


@pytest.fixture(scope="module")
def server() -> Iterator[DatabaseServer]:
    with running(MariaDb) as started:
        yield started


TYPES = {
    "a_bool": ("BOOLEAN", {"value": "yes", "valueType": "boolean"}, 1),
    "an_int": ("INT", "-7", -7),
    "a_big": ("BIGINT UNSIGNED", "18446744073709551615", 18446744073709551615),
    "a_real": ("DOUBLE", "1.5", 1.5),
    "a_decimal": ("DECIMAL(30,4)", "12345678901234567890.1200", "12345678901234567890.1200"),
    "a_text": ("VARCHAR(50)", "Grüße 😀", "Grüße 😀"),
    "a_long_text": ("MEDIUMTEXT", "x" * 70_000, "x" * 70_000),
    "a_date": ("DATE", "2026-03-31", "2026-03-31"),
    "a_time": ("TIME(1)", "-26:30:01.5", "-26:30:01.500000"),
    "a_stamp": ("DATETIME(3)", "2026-03-31 14:30:00.25", "2026-03-31T14:30:00.250000"),
    "a_year": ("YEAR", "2026", 2026),
    "a_json": ("JSON", '{"a": [1, null]}', '{"a": [1, null]}'),
    "some_bytes": ("BLOB", {"value": "AAEC/w==", "valueType": "base64"}, "AAEC/w=="),
    "some_bits": ("BIT(9)", {"value": "257", "valueType": "number"}, 257),
    "a_mood": ("ENUM('fine', 'bad')", "fine", "fine"),
    "a_set": ("SET('a', 'b')", "a,b", "a,b"),
}


class TestMySql(DatabaseFlows):
    """All of `DatabaseFlows`, and what only MySQL and MariaDB have."""

    kind = MariaDb
    sleep = "SELECT SLEEP(60)"
    numbers = "SELECT seq AS n FROM seq_1_to_1500"
    wrong_password = "Access denied for user 'ada'@'localhost'"

    def is_busy(self, server):
        found = server.sql("SELECT count(*) FROM information_schema.processlist WHERE state = 'User sleep'")
        return found == "1"

    async def test_values_of_every_type_go_in_and_come_out(self, db, server):
        server.sql(
            f"CREATE TABLE types ({', '.join(f'{name} {kind}' for name, (kind, _, _) in TYPES.items())})"
        )
        entries = [
            {"columnName": name, **(value if isinstance(value, dict) else {"value": value})}
            for name, (_, value, _) in TYPES.items()
        ]
        try:
            await db.out("insert", **db.on("types"), columnValueEntries=entries)
            [found] = await db.rows("SELECT * FROM types WHERE a_text = ? AND a_decimal > ?", "Grüße 😀", "1")
        finally:
            server.sql("DROP TABLE types")

        assert found == {name: wanted for name, (_, _, wanted) in TYPES.items()}

    async def test_the_number_given_to_a_new_row_is_put_out(self, db, server):
        server.sql("CREATE TABLE counted (id INT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(10))")
        try:
            first, second = [await db.insert("counted", name=name) for name in ("one", "two")]
        finally:
            server.sql("DROP TABLE counted")

        assert (first, second) == ({"rowCount": 1, "insertId": 1}, {"rowCount": 1, "insertId": 2})

    async def test_a_wrong_number_of_values_is_reported_in_the_servers_words(self, db):
        error = await db.error("SQLQuery", queryStatement="SELECT ? + ?", values=[{"value": "1"}])

        assert error["said"] == "Incorrect arguments to EXECUTE"

    async def test_a_second_statement_is_refused(self, db, server):
        error = await db.error("SQLQuery", queryStatement="SELECT 1; DROP TABLE orders")

        assert "syntax" in error["said"]
        assert "orders" in server.sql("SHOW TABLES")

    async def test_every_row_that_was_meant_counts_also_when_nothing_changed_in_it(self, db):
        await db.insert("orders", id="1", customer="Ada")

        same = await db.query("UPDATE orders SET customer = ? WHERE id = ?", "Ada", "1")

        assert same["rowCount"] == 1

    async def test_all_rows_of_a_changing_statement_count_although_not_all_are_given(self, db):
        done = await db.query("INSERT INTO orders (id) SELECT seq FROM seq_1_to_1500 RETURNING id")

        assert (done["rowCount"], len(done["rows"])) == (1500, 1000)
        assert "Only the first" in done["note"]
