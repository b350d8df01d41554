"""The two forms of the tests: `make test` runs the short one, `make test-acceptance` what it leaves out."""

from collections.abc import Collection, Sequence
from typing import Any

import pytest

long_form = pytest.mark.acceptance
"""For tests that the short form leaves out."""


def in_forms(values: Sequence[Any], *, short: Collection[Any]) -> list[Any]:
    """Parameters of tests: those of `short` are in both forms, the others in the long one only."""
    assert all(value in values for value in short), "a parameter of the short form isn't there"
    return [value if value in short else pytest.param(value, marks=long_form) for value in values]
