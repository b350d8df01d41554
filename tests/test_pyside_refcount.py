"""Some PySide6 releases lose a reference to None on every void call; with them the program would die."""

import sys

from PySide6.QtCore import QObject


def test_void_calls_keep_the_reference_count_of_none() -> None:
    thing = QObject()
    before = sys.getrefcount(None)

    for _ in range(500):
        thing.setObjectName("x")

    assert abs(sys.getrefcount(None) - before) < 100
