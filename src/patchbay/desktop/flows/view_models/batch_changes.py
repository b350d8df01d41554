"""Texts of what a command did to one flow or to several."""

from collections.abc import Callable
from typing import NamedTuple

from patchbay.desktop.core.language import tr, tr_count


class BatchChange(NamedTuple):
    """The texts of a change: of one flow by its name, and of several by their number."""

    of_one: Callable[[str], str]
    of_several: Callable[[int], str]


PUBLISHED = BatchChange(
    lambda name: tr("“{name}” published", name=name),
    lambda number: tr_count(number, "{n} flow published", "{n} flows published"),
)
UNPUBLISHED = BatchChange(
    lambda name: tr("“{name}” unpublished", name=name),
    lambda number: tr_count(number, "{n} flow unpublished", "{n} flows unpublished"),
)
PAUSED = BatchChange(
    lambda name: tr("“{name}” paused", name=name),
    lambda number: tr_count(number, "{n} flow paused", "{n} flows paused"),
)
RESUMED = BatchChange(
    lambda name: tr("“{name}” resumed", name=name),
    lambda number: tr_count(number, "{n} flow resumed", "{n} flows resumed"),
)
DUPLICATED = BatchChange(
    lambda name: tr("“{name}” duplicated", name=name),
    lambda number: tr_count(number, "{n} flow duplicated", "{n} flows duplicated"),
)
DELETED = BatchChange(
    lambda name: tr("“{name}” deleted", name=name),
    lambda number: tr_count(number, "{n} flow deleted", "{n} flows deleted"),
)


def moved_to(folder: str) -> BatchChange:
    """The texts of flows that were moved to a folder."""
    return BatchChange(
        lambda name: tr("“{name}” moved to {folder}", name=name, folder=folder),
        lambda number: tr_count(
            number, "{n} flow moved to {folder}", "{n} flows moved to {folder}", folder=folder
        ),
    )
