"""The database behind the server whose behaviour is compared with a workspace in a file."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from tests.support.databases import why_no_postgres

if TYPE_CHECKING:
    from patchbay.storage.postgresql.address import PostgresAddress


@pytest.fixture
def other_database(request: pytest.FixtureRequest) -> "Iterator[PostgresAddress | None]":
    """One on a PostgreSQL server; None, which is a file, where PostgreSQL isn't installed."""
    if why_no_postgres():
        yield None
        return
    with request.getfixturevalue("postgres_databases").borrow() as address:
        yield address
