"""Values as one segment of a path."""

import pytest

from patchbay.domain.errors import ValidationFailed
from patchbay.integration import segment


@pytest.mark.parametrize(
    ("value", "encoded"), [("a/b", "a%2Fb"), (" 7 ", "7"), ("..a", "..a"), ("%2e", "%252e")]
)
def test_a_value_stays_in_its_segment(value, encoded):
    assert segment(value) == encoded


@pytest.mark.parametrize("value", [".", "..", " .. "])
def test_a_value_that_leads_to_another_path_is_rejected(value):
    with pytest.raises(ValidationFailed, match="part of an address"):
        segment(value)
