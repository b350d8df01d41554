"""A third party for the tests of a file, and a look at a served folder through its interface."""

from collections.abc import Iterator

import pytest
from tests.support.counterparty import Counterparty


@pytest.fixture(scope="module")
def party() -> Iterator[Counterparty]:
    with Counterparty() as running:
        yield running
