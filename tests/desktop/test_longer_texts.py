"""Texts that are longer than usual, such as in another language, aren't cut off or painted over others."""

from collections.abc import Iterator

import pytest
from PySide6.QtGui import QFontMetrics, QFontMetricsF
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot
from tests.support.desktop import services
from tests.support.fake_backend import FakeBackend
from tests.support.fake_workspace import NOW

from patchbay.desktop.core.execution_labels import TimelineRow
from patchbay.desktop.core.language import use_language
from patchbay.desktop.core.notices import Notice
from patchbay.desktop.executions.timeline import TimelineDelegate
from patchbay.desktop.kit.messages import Toast
from patchbay.desktop.kit.theme import theme
from patchbay.desktop.settings.api_keys_page import _day_text
from patchbay.desktop.tasks import Tasks
from patchbay.domain.base import StepId
from patchbay.domain.clock import DAY_MS
from patchbay.domain.executions import StepRef, StepState
from patchbay.domain.flows import StepType

STEP = StepRef(id=StepId("s"), type=StepType.ACTION, position=1)


@pytest.fixture
def _german() -> Iterator[None]:
    use_language("de", "language")
    yield
    use_language("en", "language")


@pytest.mark.usefixtures("_german")
def test_the_button_of_a_notice_is_as_wide_as_its_text(qtbot: QtBot) -> None:
    page = QWidget()
    qtbot.addWidget(page)

    button = Toast(Notice("Fertig", show=lambda: None), page).button

    assert button.text() == "Anzeigen"
    assert button.width() >= QFontMetrics(theme().font("semibold")).horizontalAdvance(button.text()) + 10


def test_a_long_duration_is_beside_the_bars(qtbot: QtBot, tasks: Tasks) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    delegate = TimelineDelegate(parent, services(tasks, FakeBackend(executions=1)))
    short = delegate.duration_width
    row = TimelineRow(STEP, state=StepState.SUCCESS, duration_ms=23 * 3_600_000 + 59 * 60_000)

    delegate.measure_durations([row])

    metrics = QFontMetricsF(theme().font("caption"))
    assert delegate.duration_width >= metrics.horizontalAdvance("23 h 59 min")
    delegate.measure_durations([])
    assert delegate.duration_width == short


def test_the_day_on_which_a_key_was_created_has_its_month() -> None:
    days = [_day_text(NOW - days * DAY_MS, NOW) for days in (0, 3, 30)]

    assert all(any(sign.isalpha() for sign in day) and ":" not in day for day in days)
    assert str(2020) in _day_text(1_600_000_000_000, NOW)
