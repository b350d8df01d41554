"""Settings → Data: the check of the database, and its repair."""

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from patchbay.desktop.core.language import tr, tr_count
from patchbay.desktop.kit.boxes import Stretch, hbox, vbox
from patchbay.desktop.kit.buttons import Button
from patchbay.desktop.kit.dialogs import Dialog, confirm
from patchbay.desktop.kit.messages import MessageBox
from patchbay.desktop.kit.text import Label
from patchbay.desktop.settings.view_models.backups import BackupsViewModel

_ABOUT = tr("Looks for damage, for example after a disk was full or failed. Flows keep running.")
_REPAIR = tr(
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
        self.check = Button(tr("Check database"), icon="refresh-cw")
        self.repair = Button(tr("Repair…"))
        self.result = MessageBox("success")
        vbox(
            Label(tr("Database"), "semibold"),
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
        self.dialog = confirm(self, tr("Repair the database?"), _REPAIR, tr("Repair"), True, self._on_repair)

    def _show(self) -> None:
        model, problems = self._model, self._model.problems
        if self.check.busy is not model.checking:
            self.check.set_busy(model.checking, tr("Checking"))
        self.repair.setVisible(bool(problems))
        self.result.setVisible(problems is not None)
        if problems:
            text, left = "; ".join(problems[:_SHOWN]), len(problems) - _SHOWN
            if left > 0:
                text = tr_count(left, "{problems}; and {n} more", "{problems}; and {n} more", problems=text)
            self.result.set("failure", tr("The database is damaged"), text)
        elif problems is not None:
            self.result.set("success", tr("The database is intact"))
