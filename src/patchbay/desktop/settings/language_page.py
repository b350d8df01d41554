"""Settings → Language and formats."""

from collections.abc import Mapping
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from patchbay.desktop.core.language import available_languages, formats, number_text, time_text, tr
from patchbay.desktop.core.language import date_text as short_date
from patchbay.desktop.kit.boxes import vbox
from patchbay.desktop.kit.inputs import ComboBox, FormField
from patchbay.desktop.kit.text import Label
from patchbay.desktop.settings.reset_bar import ResetBar, reset_boxes
from patchbay.desktop.settings.window_options import LanguageChoice

if TYPE_CHECKING:
    from patchbay.desktop.settings.dialog import SettingsDialog

DEFAULT_LANGUAGE = LanguageChoice()
_EXAMPLE = datetime(2026, 11, 20, 14, 38)


class LanguagePage(QWidget):
    """The language of the window, and the formats of dates and numbers."""

    def __init__(self, dialog: "SettingsDialog") -> None:
        super().__init__()
        self._changed = dialog.language_changed
        chosen = dialog.options.language
        self.language = ComboBox(tr("Language"), large=True)
        self.language.set_options([("system", tr("Follow system")), *available_languages().items()])
        self.language.set_value(chosen.language)
        self.formats = ComboBox(tr("Formats"), large=True)
        self.formats.set_options([("system", tr("Follow system")), ("language", tr("Follow language"))])
        self.formats.set_value(chosen.formats)
        for box in (self.language, self.formats):
            box.value_changed.connect(self._emit)
        self.restart = Label(
            tr("Used from the next start of Patchbay."), "caption", "text_secondary", wrap=True
        )
        self.restart.hide()
        example = tr(
            "Dates, numbers, and the first day of the week. Example: {date}, {time}; {number}; {day}.",
            date=short_date(_EXAMPLE, year=True),
            time=time_text(_EXAMPLE),
            number=number_text(1234.5, 1),
            day=formats().dayName(formats().firstDayOfWeek().value),
        )
        language_help = tr("The language of this window. Names from apps and servers aren't translated.")
        column = vbox(parent=self, spacing=14)
        column.addWidget(FormField(tr("Language"), self.language, help=language_help))
        column.addWidget(FormField(tr("Formats"), self.formats, help=example))
        column.addWidget(self.restart)
        column.addStretch(1)
        self.reset = ResetBar(partial(reset_boxes, self._defaults()))
        column.addWidget(self.reset)
        self._show_reset()

    def _defaults(self) -> Mapping[ComboBox, object]:
        return {self.language: DEFAULT_LANGUAGE.language, self.formats: DEFAULT_LANGUAGE.formats}

    def _show_reset(self) -> None:
        self.reset.show_changed(any(box.value() != default for box, default in self._defaults().items()))

    def _emit(self, _: object) -> None:
        self.restart.show()
        self._show_reset()
        self._changed.emit(LanguageChoice(self.language.value(), self.formats.value()))
