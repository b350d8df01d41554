"""Which entry of a chooser fits what was typed best."""

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from patchbay.desktop.core.names import best_match, name_rank
from patchbay.desktop.editor.fields.variable_picker import ValuePicker, entry_of
from patchbay.desktop.editor.view_models.variables import ValueCatalog, ValueEntry, ValueGroup
from patchbay.domain.base import StepId
from patchbay.domain.variables import Reference


@pytest.mark.parametrize(
    ("words", "entries", "best"),
    [
        ("number", ["item.number", "number", "numbers"], "number"),
        ("num", ["item.number", "numbers"], "numbers"),
        ("request", ["Unrequested", "Custom request"], "Custom request"),
        ("PATCH", ["DELETE", "patch"], "patch"),
        ("zzz", ["first", "second"], "first"),
        ("", ["first", "second"], "first"),
    ],
)
def test_the_best_name_is_found(words: str, entries: list[str], best: str) -> None:
    found = best_match(words, entries)

    assert found is not None
    assert entries[found] == best


def test_a_longer_match_of_the_name_ranks_before_others() -> None:
    names = ["send", "sender", "to send", "resend", "end of s", "other"]

    assert sorted(names, key=lambda name: name_rank("send", name))[:4] == [
        "send",
        "sender",
        "to send",
        "resend",
    ]


def entry(path: str) -> ValueEntry:
    return ValueEntry(Reference(step_id=StepId("s-1"), path=tuple(path.split("."))), path, "number", "1")


def test_the_exact_name_of_a_value_is_highlighted_and_the_search_keeps_its_height(qtbot: QtBot) -> None:
    anchor = QWidget()
    qtbot.addWidget(anchor)
    anchor.resize(400, 30)
    anchor.show()
    names = ["item.n", "item.number", *(f"item.other{at}" for at in range(12)), "number"]
    group = ValueGroup(StepId("s-1"), 1, "Loop", None, tuple(map(entry, names)))
    picker = ValuePicker(anchor, ValueCatalog((group,)), lambda _: None)
    picker.open_at(anchor)
    before = picker.search.y(), picker.search.height()

    picker.search.setText("number")

    highlighted = entry_of(picker.tree.currentIndex())
    assert highlighted is not None
    assert highlighted.label == "number"
    qtbot.waitUntil(lambda: (picker.search.y(), picker.search.height()) == before)
