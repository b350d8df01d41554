"""The postgresql app against a real PostgreSQL server."""

from collections.abc import Iterator

import pytest
from tests.support.database_flows import DatabaseFlows
from tests.support.database_steps import columns
from tests.support.databases import DatabaseServer, Postgres, running, why_no_postgres
from tests.support.forms import long_form

pytestmark = pytest.mark.skipif(bool(why_no_postgres()), reason=why_no_postgres())


@pytest.fixture(scope="module")
def server() -> Iterator[DatabaseServer]:
    with running(Postgres) as started:
        yield started


TYPES = {
    "a_bool": ("boolean", "true", True),
    "a_small": ("smallint", "-7", -7),
    "a_big": ("bigint", "9007199254740993", 9007199254740993),
    "a_real": ("double precision", "1.5", 1.5),
    "not_a_number": ("double precision", "NaN", "nan"),
    "a_decimal": ("numeric", "12345678901234567890.1200", "12345678901234567890.1200"),
    "a_text": ("text", "Grüße 😀", "Grüße 😀"),
    "a_char": ("char(3)", "ab", "ab "),
    "a_date": ("date", "2026-03-31", "2026-03-31"),
    "a_time": ("time", "14:30:01.5", "14:30:01.500000"),
    "a_stamp": ("timestamp", "2026-03-31 14:30", "2026-03-31T14:30:00"),
    "a_moment": ("timestamptz", "2026-03-31 14:30+02", "2026-03-31T12:30:00+00:00"),
    "a_span": ("interval", "1 year 2 months -3 days 04:05:06.7", "P1Y2M-3DT4H5M6.7S"),
    "a_uuid": ("uuid", "550e8400-e29b-41d4-a716-446655440000", "550e8400-e29b-41d4-a716-446655440000"),
    "a_json": ("json", '{"a": [1, null]}', {"a": [1, None]}),
    "a_jsonb": ("jsonb", '{"b": "c"}', {"b": "c"}),
    "an_array": ("int[]", "{1,2,NULL}", [1, 2, None]),
    "a_list": ("text[]", '["a, b", "c"]', ["a, b", "c"]),
    "some_bytes": ("bytea", {"value": "AAEC/w==", "valueType": "base64"}, "AAEC/w=="),
    "a_range": ("int4range", "[1,5)", "[1,5)"),
    "a_period": ("tstzrange", "[2026-01-01 00:00+00,)", "[2026-01-01T00:00:00+00:00,)"),
    "an_address": ("inet", "10.0.0.1", "10.0.0.1"),
    "some_bits": ("bit(3)", "101", "101"),
    "a_point": ("point", "(1,2)", [1.0, 2.0]),
    "a_mood": ("mood", "fine", "fine"),
    "a_pair": ("pair", '(1,"two")', {"one": 1, "two": "two"}),
}


class TestPostgreSql(DatabaseFlows):
    """All of `DatabaseFlows`, and what only PostgreSQL has."""

    kind = Postgres
    table = {"schema": "public"}
    place = "$1"
    sleep = "SELECT pg_sleep(60)"
    numbers = "SELECT generate_series(1, 1500) AS n"
    wrong_password = 'password authentication failed for user "ada"'

    def is_busy(self, server):
        return server.sql("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'") == "1"

    async def test_values_of_every_type_go_in_and_come_out(self, db, server):
        server.sql("CREATE TYPE mood AS ENUM ('fine', 'bad'); CREATE TYPE pair AS (one int, two text)")
        server.sql(
            f"CREATE TABLE types ({', '.join(f'{name} {kind}' for name, (kind, _, _) in TYPES.items())})"
        )
        entries = [
            {"columnName": name, **(value if isinstance(value, dict) else {"value": value})}
            for name, (_, value, _) in TYPES.items()
        ]
        try:
            inserted = await db.out("insert", **db.on("types"), columnValueEntries=entries)
            nothing = await db.out("insert", **db.on("types"), columnValueEntries=columns(a_bool=""))
            found = await db.rows(
                "SELECT * FROM types WHERE a_span = $1 AND a_jsonb = $2",
                "14 months -3 days 04:05:06.7",
                '{"b": "c"}',
            )
        finally:
            server.sql("DROP TABLE types; DROP TYPE mood; DROP TYPE pair")

        assert inserted["rows"] == [{name: wanted for name, (_, _, wanted) in TYPES.items()}]
        assert found == inserted["rows"]
        assert set(nothing["rows"][0].values()) == {None}

    async def test_changed_rows_are_given_back_unless_that_is_not_wanted(self, db):
        back = await db.insert("orders", id="1", customer="Ada")
        without = await db.out(
            "insert", **db.on("orders"), columnValueEntries=columns(id="2"), returnRows=False
        )

        assert back == {"rowCount": 1, "rows": [{"id": 1, "customer": "Ada", "total": None}]}
        assert without == {"rowCount": 1}

    async def test_a_wrong_number_of_values_is_reported_before_anything_is_run(self, db):
        error = await db.error("SQLQuery", queryStatement="SELECT $1::int + $2::int", values=[{"value": "1"}])

        assert error["happened"] == "The number of values (1) doesn't match the number of placeholders (2)."

    async def test_a_value_that_does_not_fit_is_reported_in_the_servers_words(self, db):
        error = await db.error("insert", **db.on("orders"), columnValueEntries=columns(id="many"))

        assert error["said"] == 'invalid input syntax for type integer: "many"'
        assert error["response"]["sqlstate"] == "22P02"

    async def test_run_time_parameters_hold_for_the_step(self, db):
        zone = [{"parameter": "TimeZone", "value": "Asia/Tokyo"}]

        found = await db.query("SELECT current_setting('TimeZone') AS zone", params=zone)
        usual = await db.query("SELECT current_setting('TimeZone') AS zone")
        wrong = await db.error(
            "SQLQuery", queryStatement="SELECT 1", params=[{"parameter": "no", "value": "1"}]
        )

        assert found["rows"] == [{"zone": "Asia/Tokyo"}]
        assert usual["rows"] != found["rows"]
        assert "no" in wrong["said"]

    @long_form
    async def test_rows_of_a_table_without_a_key_are_distinguished_by_time_and_content(
        self, db, server, runtime
    ):
        server.sql("CREATE TABLE log (at timestamptz, line text)")
        server.sql("INSERT INTO log VALUES ('2026-01-01', 'one'), ('2026-01-01', 'two')")
        try:
            found = await db.options("listTables", schema="public")
            ids = await self.ids(runtime, db, "log", "at")
        finally:
            server.sql("DROP TABLE log")

        assert found == ["log", "orders"]
        assert len(set(ids)) == 2

    async def ids(self, runtime, db, table, column):
        from tests.support.app_calls import items_of

        data = await runtime.credentials.load(db.connection.id)
        items = await items_of("postgresql", "newRow", {**db.on(table), "column": column}, data=data)
        return [item.internal_id for item in items]

    async def test_dropdowns_offer_the_schemas_one_may_use(self, db, server):
        server.sql("CREATE SCHEMA sales")
        try:
            assert await db.options("listSchemas") == ["public", "sales"]
        finally:
            server.sql("DROP SCHEMA sales")

    async def test_times_beyond_the_years_python_knows_go_in_and_come_out(self, db):
        sql = "SELECT $1::date AS day, $2::timestamptz AS moment, $3::daterange AS period, $4::date AS last"

        found = await db.rows(sql, "0044-03-15 BC", "infinity", "[2026-01-01,infinity]", "99999-12-31")

        assert found[0] == {
            "day": "0044-03-15 BC",
            "moment": "infinity",
            "period": "[2026-01-01,infinity]",
            "last": "99999-12-31",
        }

    @long_form
    async def test_lists_of_json_become_arrays_whatever_is_in_them(self, db):
        listed = '["a\\\\b \\"c\\", {x}", null, "NULL"]'

        found = await db.rows("SELECT $1::text[] AS texts, $2::int[] AS numbers", listed, "[[1, 2], [3, 4]]")

        assert found == [{"texts": ['a\\b "c", {x}', None, "NULL"], "numbers": [[1, 2], [3, 4]]}]

    @long_form
    async def test_moving_whole_files_is_refused(self, db):
        error = await db.error("SQLQuery", queryStatement="COPY orders FROM STDIN")

        assert error["happened"] == "A step can't transfer files with COPY."
