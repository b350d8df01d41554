"""Choosing an app to connect: a flat list with a filter; what was used lately comes first."""

from collections.abc import Mapping

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.state.my_apps_rows import AppRow, Section, rows_of
from patchbay.desktop.state.services import Services
from patchbay.domain.base import AppKey, EpochMs

SHOWN_RECENT = 4


class AppPickerViewModel(QObject):
    """Apps that can be connected, by name. While nothing is filtered, the last used stand on top.

    `used` says when flows last worked with each app, newest first; it is known before, so nothing moves.
    """

    changed = Signal()

    def __init__(
        self, services: Services, used: Mapping[AppKey, EpochMs], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._used = used
        self._rows = tuple(
            sorted(
                (row for row in rows_of(services.apps.all, ()) if not row.app.broken),
                key=lambda row: row.app.name.casefold(),
            )
        )
        self.text, self.category = "", ""

    @property
    def categories(self) -> tuple[str, ...]:
        return tuple(sorted({row.app.category for row in self._rows} - {""}, key=str.casefold))

    @property
    def rows(self) -> tuple[AppRow, ...]:
        return tuple(
            row for row in self._rows
            if self.category in ("", row.app.category) and (not self.text or row.matches(self.text))
        )  # fmt: skip

    @property
    def sections(self) -> tuple[Section, ...]:
        """One list; its beginning is "Recently used" as long as nothing is filtered."""
        rows = self.rows
        by_key = {row.app.key: row for row in rows}
        recent = tuple(by_key[key] for key in self._used if key in by_key)[:SHOWN_RECENT]
        if self.text or self.category or not recent:
            return (Section("", rows),) if rows else ()
        others = tuple(row for row in rows if row not in recent)
        parts = (Section("Recently used", recent), Section("All other apps", others))
        return tuple(part for part in parts if part.rows)

    def set_text(self, text: str) -> None:
        self.text = text
        self.changed.emit()

    def set_category(self, category: str) -> None:
        self.category = category
        self.changed.emit()
