"""The tables of transforms: one key per transform, across all actions."""

from collections import Counter

from patchbay.apps.formatter.tables import TRANSFORMS
from patchbay.apps.formatter.transforms.data import DATA
from patchbay.apps.formatter.transforms.date_time import DATE_TIME
from patchbay.apps.formatter.transforms.numbers import NUMBERS
from patchbay.apps.formatter.transforms.text import TEXT


def test_no_two_transforms_have_the_same_key():
    offered = {id(transform): transform for transform in (*TEXT, *NUMBERS, *DATE_TIME, *DATA)}
    keys = Counter(transform.key for transform in offered.values())

    assert [key for key, count in keys.items() if count > 1] == []
    assert set(keys) == set(TRANSFORMS)
