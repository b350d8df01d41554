"""On which databases a test runs that uses the fixture `location`: both, or as one of these marks says."""

import pytest
from tests.support.forms import long_form

only_on_sqlite = pytest.mark.parametrize("location", ["sqlite"], indirect=True)
"""For tests of what only a file has."""

on_postgresql_in_long_form = pytest.mark.parametrize(
    "location", ["sqlite", pytest.param("postgresql", marks=long_form)], indirect=True
)
"""For tests whose statements another test already runs on PostgreSQL."""
