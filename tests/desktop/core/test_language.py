"""The language of the window, and its formats."""

from collections.abc import Iterator
from datetime import datetime

import pytest
from PySide6.QtCore import QCoreApplication, QLocale
from PySide6.QtWidgets import QApplication

from patchbay.desktop.core import language
from patchbay.desktop.core.language import Catalogue, install_qt_translation, tr, tr_count, use_language

FRIDAY = datetime(2026, 11, 20, 14, 38, 6)
POLISH = """<TS version="2.1" language="pl">
<extra-po-header-plural_forms>nplurals=3; plural=(n==1 ? 0 : n%10>=2 &amp;&amp; n%10&lt;=4 &amp;&amp; (n%100&lt;10 || n%100&gt;=20) ? 1 : 2);</extra-po-header-plural_forms>
<context><name>patchbay</name>
<message numerus="yes"><source>{n} flow</source><translation><numerusform>{n} przepływ</numerusform><numerusform>{n} przepływy</numerusform><numerusform>{n} przepływów</numerusform></translation></message>
<message><source>Delete “{name}”?</source><translation>Usunąć „{name}”?</translation></message>
<message><source>Later</source><translation type="unfinished">?</translation></message>
</context></TS>"""  # noqa: E501


@pytest.fixture(autouse=True)
def _english_again() -> Iterator[None]:
    yield
    use_language("en", "language")


def _use(catalogue: Catalogue, locale: str) -> None:
    language._State.catalogue, language._State.formats = catalogue, QLocale(locale)


def test_a_language_is_only_a_file() -> None:
    polish = Catalogue("pl")
    polish.read(POLISH)
    _use(polish, "pl")
    assert tr("Delete “{name}”?", name="{x}") == "Usunąć „{x}”?"
    assert [tr_count(n, "{n} flow", "{n} flows") for n in (1, 3, 5, 22)] == [
        "1 przepływ",
        "3 przepływy",
        "5 przepływów",
        "22 przepływy",
    ]
    assert tr("Later") == "Later", "an unfinished translation isn't shown"


def test_english_needs_no_file() -> None:
    assert use_language("en", "language") == "en"
    assert tr("Delete “{name}”?", name="Orders") == "Delete “Orders”?"
    assert tr_count(1, "{n} flow", "{n} flows") == "1 flow"
    assert tr_count(1204, "{n} flow", "{n} flows") == "1,204 flows"
    assert tr("{brackets} stay without values") == "{brackets} stay without values"


def test_qt_keeps_its_own_texts_in_a_language_it_does_not_have(qapp: QApplication) -> None:
    use_language("pseudo", "language")
    install_qt_translation(qapp)

    assert QCoreApplication.translate("QShortcut", "Ctrl") == "Ctrl"


def test_the_pseudo_language_keeps_fields_and_tags() -> None:
    use_language("pseudo", "language")
    shown = tr("Delete <b>{name}</b> now", name="Orders")
    assert shown.startswith("⟦Délété <b>Orders</b> ñöw")
    assert shown.endswith("⟧")
    assert len(shown) > len("Delete <b>Orders</b> now") * 1.2


def test_an_unknown_language_is_english() -> None:
    assert use_language("xx") == "en"


@pytest.mark.parametrize(
    ("locale", "shown"),
    [
        ("en_GB", ("14:38:06", "Fri", "20", "20 Nov 2026", "1,204", "0.5")),
        ("en_US", ("2:38:06 PM", "Fri", "20", "Nov 20, 2026", "1,204", "0.5")),
        ("da_DK", ("14.38.06", "fre", "20.", "20. nov 2026", "1.204", "0,5")),
        ("de_DE", ("14:38:06", "Fr", "20.", "20. Nov 2026", "1.204", "0,5")),
    ],
)
def test_formats_follow_the_locale(locale: str, shown: tuple[str, ...]) -> None:
    language._State.formats = QLocale(locale)
    assert (
        language.time_text(FRIDAY, seconds=True).replace("\u202f", " "),
        language.weekday_text(FRIDAY),
        language.day_text(FRIDAY),
        language.date_text(FRIDAY, year=True),
        language.number_text(1204),
        language.number_text(0.5, 1),
    ) == shown
