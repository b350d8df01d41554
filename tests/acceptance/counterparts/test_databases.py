"""PostgreSQL and MariaDB, from Debian's packages: a new row in one table adds a row to another."""

from collections.abc import Iterator
from typing import ClassVar

import pytest
from tests.support import flow_files as files
from tests.support.database_steps import columns
from tests.support.databases import (
    PASSWORD,
    DatabaseServer,
    MariaDb,
    Postgres,
    running,
    why_no_mariadb,
    why_no_postgres,
)
from tests.support.served_app_tests import ServedAppTests, changed

pytestmark = pytest.mark.acceptance


class DatabaseAppTests(ServedAppTests):
    """A table with orders, and one with the customers to call."""

    screen_name = "Orders"
    bad = {"password": "planted-wrong-5512"}
    kind: ClassVar[type[DatabaseServer]]
    schema: ClassVar[dict[str, str]] = {}
    new_password: ClassVar[str]
    """The statement that gives ada another password."""

    @pytest.fixture(scope="class")
    @classmethod
    def server(cls) -> Iterator[DatabaseServer]:
        with running(cls.kind) as started:
            started.sql("CREATE TABLE orders (id INT PRIMARY KEY, customer VARCHAR(50))")
            started.sql("CREATE TABLE calls (customer VARCHAR(50))")
            started.sql("INSERT INTO orders VALUES (1, 'Old')")
            yield started

    def fields(self, server):
        return {
            key: value
            for key, value in server.account(screenName=self.screen_name).items()
            if key != "password"
        }

    def good(self, server):
        return {"password": PASSWORD}

    def withdrawn(self, server):
        return changed(
            lambda word: server.administer(self.new_password.format(word)), "another-one-1", PASSWORD
        )

    def trigger(self, server):
        return files.step(self.app, "newRow", **self.schema, table="orders", column="id")

    def action(self, server):
        entries = columns(customer="{{step.#1.customer}}")
        return files.step(self.app, "insert", **self.schema, table="calls", columnValueEntries=entries)

    def happen(self, server):
        server.sql("INSERT INTO orders VALUES (2, 'Grüße 😀')")

    def check_effect(self, server, trigger, action):
        assert trigger == {"id": 2, "customer": "Grüße 😀"}
        assert action["rowCount"] == 1
        assert server.sql("SELECT customer FROM calls") == "Grüße 😀"


@pytest.mark.skipif(bool(why_no_postgres()), reason=why_no_postgres())
class TestPostgreSql(DatabaseAppTests):
    app, kind = "postgresql", Postgres
    schema = {"schema": "public"}
    rejection = 'password authentication failed for user "ada"'
    new_password = "ALTER ROLE ada PASSWORD '{}'"


@pytest.mark.skipif(bool(why_no_mariadb()), reason=why_no_mariadb())
class TestMariaDb(DatabaseAppTests):
    app, kind = "mysql", MariaDb
    rejection = "Access denied for user 'ada'@'localhost'"
    new_password = "SET PASSWORD FOR ada@localhost = PASSWORD('{}')"
