"""The window's language, and the formats of its dates and numbers.

Texts are written in English where they're shown, inside `tr`. A language is a file `patchbay_XX.ts` of Qt
Linguist in `desktop/translations`; adding one needs no code. The language is chosen before the modules of the
window are imported, so that constants can hold translated texts; a change takes effect at the next start.
"""

import gettext
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from importlib import resources
from itertools import cycle, islice
from typing import Literal

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTime, QTranslator

from patchbay.domain.clock import DAYS, MONTHS

PSEUDO = "pseudo"
"""A language for tests: English with accents, a third longer, in ⟦brackets⟧. Text without them isn't
translated.
"""
FormatsChoice = Literal["system", "language"]
_ENGLISH = QLocale("en_GB")
_PLURAL_FORMS = "extra-po-header-plural_forms"
_ENGLISH_PLURALS = "nplurals=2; plural=(n != 1);"
Translations = dict[tuple[str, str], tuple[str, ...]]
"""The forms of each translation, by source text and the note that tells equal texts apart."""


@dataclass(frozen=True)
class TranslationFile:
    """The content of a .ts file. `drafts` are unfinished translations, which aren't shown."""

    plural_rule: str
    finished: Translations
    drafts: Translations


def read_translations(ts: str) -> TranslationFile:
    """Read a .ts file. Raises `ParseError` for text that isn't XML."""
    from defusedxml.ElementTree import fromstring

    root = fromstring(ts)
    found = TranslationFile(root.findtext(_PLURAL_FORMS) or _ENGLISH_PLURALS, {}, {})
    for message in root.iter("message"):
        translation = message.find("translation")
        if translation is None:
            continue
        forms = tuple(form.text or "" for form in translation) or (translation.text or "",)
        is_finished = translation.get("type") is None and all(forms)
        key = message.findtext("source", ""), message.findtext("comment", "")
        (found.finished if is_finished else found.drafts)[key] = forms
    return found


class Catalogue:
    """The translations of one language."""

    def __init__(self, code: str) -> None:
        self.code = code
        self._texts: Translations = {}
        self._plural: Callable[[int], int] = lambda number: int(number != 1)

    def read(self, ts: str) -> None:
        """Add the finished translations of a .ts file."""
        content = read_translations(ts)
        self._plural = gettext.c2py(content.plural_rule.partition("plural=")[2].rstrip("; "))
        self._texts |= content.finished

    def find(self, text: str, note: str, number: int | None = None) -> str | None:
        """The translation of a text; with `number`, in the form that goes with it. None if there is none."""
        if self.code == PSEUDO:
            return pseudo(text)
        forms = self._texts.get((text, note))
        if forms is None:
            return None
        return forms[0 if number is None else min(self._plural(number), len(forms) - 1)] or None


class _State:
    catalogue: Catalogue | None = None
    formats = _ENGLISH


def tr(text: str, note: str = "", /, **values: object) -> str:
    """The text in the language of the window, with `{name}` replaced by the value of that name.

    `text` and `note` are literals, which `python -m tests.support.translation_files` collects. A note tells
    the translator what a short text is, and tells equal texts apart: `tr("Open", "state of a circuit")`.
    """
    catalogue = _State.catalogue
    found = catalogue.find(text, note) if catalogue is not None else None
    shown = text if found is None else found
    return shown.format(**values) if values else shown


def tr_count(number: int, one: str, many: str, note: str = "", /, **values: object) -> str:
    """A text that depends on a number, which replaces `{n}`: `tr_count(3, "{n} flow", "{n} flows")`."""
    catalogue = _State.catalogue
    english = one if number == 1 else many
    if catalogue is None:
        shown = english
    elif catalogue.code == PSEUDO:
        shown = pseudo(english)
    else:
        shown = catalogue.find(one, note, number) or english
    return shown.format(n=number_text(number), **values)


def number_text(number: float, decimals: int = 0) -> str:
    """A number with separators: 1,204 or 1.204; 0.5 or 0,5."""
    if isinstance(number, int) and not decimals:
        return _State.formats.toString(number)
    return _State.formats.toString(float(number), "f", decimals)


def formats() -> QLocale:
    """The locale whose formats the window uses."""
    return _State.formats


def available_languages() -> dict[str, str]:
    """The languages by code, each with its own name: {"en": "English", "de": "Deutsch"}."""
    found = {"en": "English"}
    for file in sorted(_folder().iterdir(), key=lambda file: file.name):
        if match := re.fullmatch(r"patchbay_(\w+)\.ts", file.name):
            found[match[1]] = QLocale(match[1]).nativeLanguageName()
    return found


def use_language(choice: str = "system", formats_choice: FormatsChoice = "system") -> str:
    """Choose the language of the window: "system", "pseudo", or a code. Returns the code of the language."""
    system = QLocale.system()
    codes = available_languages()
    wanted = [choice] if choice != "system" else _codes(system)
    code = next((code for code in wanted if code in codes or code == PSEUDO), "en")
    _State.catalogue = None
    if code != "en":
        _State.catalogue = Catalogue(code)
        if code != PSEUDO:
            _State.catalogue.read((_folder() / f"patchbay_{code}.ts").read_text("utf-8"))
    if formats_choice == "system":
        _State.formats = _ENGLISH if system.language() is QLocale.Language.C else system
    else:
        _State.formats = _ENGLISH if code in ("en", PSEUDO) else QLocale(code)
    QLocale.setDefault(_State.formats)
    return code


def install_qt_translation(app: QCoreApplication) -> None:
    """Translate Qt's own texts, such as the menu of a text field; called once for an application."""
    catalogue = _State.catalogue
    if catalogue is None:
        return
    of_qt = QTranslator(app)
    if of_qt.load(
        QLocale(catalogue.code), "qtbase", "_", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    ):
        app.installTranslator(of_qt)


def pseudo(text: str) -> str:
    """The text with accents and a third longer, in brackets; its fields and tags stay."""
    parts = re.split(r"(\{[^}]*\}|<[^>]+>)", text)
    letters = sum(len(part) for part in parts[::2])
    longer = "".join(islice(cycle("één twö "), max(1, letters // 3))).rstrip()
    changed = "".join(part if at % 2 else part.translate(_ACCENTS) for at, part in enumerate(parts))
    return f"⟦{changed} {longer}⟧"


_ACCENTS = str.maketrans("aceinouyACEINOUY", "åçéîñöûýÅÇÉÎÑÖÛÝ")


def time_text(then: datetime, *, seconds: bool = False) -> str:
    """The time of day: 14:38 or 2:38 PM; with seconds 14:38:06."""
    pattern = _State.formats.timeFormat(QLocale.FormatType.ShortFormat)
    if seconds and (minutes := re.search(r"(\W?)mm", pattern)):
        pattern = pattern.replace("mm", f"mm{minutes[1]}ss")
    return _State.formats.toString(QTime(then.hour, then.minute, then.second), pattern)


def weekday_text(then: datetime) -> str:
    """The short name of the day: Fri."""
    if _is_english():
        return DAYS[then.weekday()]
    return _State.formats.dayName(then.weekday() + 1, QLocale.FormatType.ShortFormat).rstrip(".")


def day_text(then: datetime) -> str:
    """The day of the month: 20, or 20. in languages that write it so."""
    return f"{then.day}." if _date_format().startswith(("d.", "dd.")) else str(then.day)


def date_text(then: datetime, *, year: bool = False) -> str:
    """Day and month: 20 Nov, Nov 20, or 20. Nov.; with the year 20 Nov 2025."""
    if _is_english():
        month = MONTHS[then.month - 1]
    else:
        month = _State.formats.monthName(then.month, QLocale.FormatType.ShortFormat).rstrip(".")
    if _date_format().startswith("M"):
        return f"{month} {then.day}" + (f", {then.year}" if year else "")
    return f"{day_text(then)} {month}" + (f" {then.year}" if year else "")


def _codes(locale: QLocale) -> list[str]:
    """The languages of the locale, best first, each with its territory and without: ["pt_BR", "pt"]."""
    names = [name.split("-") for name in locale.uiLanguages()]
    return [code for parts in names for code in (f"{parts[0]}_{parts[-1]}", parts[0])]


def _is_english() -> bool:
    return _State.formats.language() is QLocale.Language.English


def _date_format() -> str:
    return _State.formats.dateFormat(QLocale.FormatType.ShortFormat)


def _folder() -> "resources.abc.Traversable":
    return resources.files("patchbay.desktop") / "translations"
