"""Settings → Data: the check of the database, and its repair."""

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from patchbay.desktop.kit.boxes import Stretch, hbox, vbox
from patchbay.desktop.kit.buttons import Button
from patchbay.desktop.kit.dialogs import Dialog, confirm
from patchbay.desktop.kit.messages import MessageBox
from patchbay.desktop.kit.text import Label
from patchbay.desktop.settings.view_models.backups import BackupsViewModel

_ABOUT = "Looks for damage, for example after a disk was full or failed. Flows keep running."
_REPAIR = (
    "Patchbay copies the database, stops running flows for a moment, and rebuilds what can be rebuilt from "
    "the data. What is lost can only come from a backup."
)
_SHOWN = 5


class DatabaseSection(QWidget):
    """`repair` repairs the database, after a question."""

    def __init__(
        self, model: BackupsViewModel, repair: Callable[[], object], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._model, self._on_repair = model, repair
        self.dialog: Dialog | None = None
        self.check = Button("Check database", icon="refresh-cw")
        self.repair = Button("Repair…")
        self.result = MessageBox("success")
        vbox(
            Label("Database", "semibold"),
            Label(_ABOUT, "caption", "text_tertiary", wrap=True),
            self.result,
            hbox(self.check, self.repair, Stretch(), spacing=8),
            parent=self,
            spacing=10,
        )
        self.check.clicked.connect(model.check_database)
        self.repair.clicked.connect(self._confirm)
        model.changed.connect(self._show)
        self._show()

    def _confirm(self) -> None:
        self.dialog = confirm(self, "Repair the database?", _REPAIR, "Repair", True, self._on_repair)

    def _show(self) -> None:
        model, problems = self._model, self._model.problems
        if self.check.busy is not model.checking:
            self.check.set_busy(model.checking, "Checking")
        self.repair.setVisible(bool(problems))
        self.result.setVisible(problems is not None)
        if problems:
            more = f"; and {len(problems) - _SHOWN} more" if len(problems) > _SHOWN else ""
            self.result.set("failure", "The database is damaged", "; ".join(problems[:_SHOWN]) + more)
        elif problems is not None:
            self.result.set("success", "The database is intact")
