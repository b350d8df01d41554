"""Small dialogs about one connection: a new name, and what deleting it would break."""

from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from patchbay.desktop.ui.kit.chips import Tag
from patchbay.desktop.ui.kit.dialogs import Dialog
from patchbay.desktop.ui.kit.form_scroll import ListArea
from patchbay.desktop.ui.kit.inputs import FormField, LineEdit
from patchbay.desktop.ui.kit.marks import flow_word
from patchbay.desktop.ui.kit.surface import surface
from patchbay.desktop.ui.kit.text import ElidedLabel, Label, count
from patchbay.desktop.ui.kit.theme import theme
from patchbay.domain.connections import Connection
from patchbay.domain.flows import Flow

SHOWN_ROWS = 6


class RenameDialog(Dialog):
    """Asks for a screen name; an empty one is told about, not taken."""

    def __init__(self, parent: QWidget, connection: Connection, on_name: Callable[[str], object]) -> None:
        super().__init__(parent, "Rename connection", 420)
        self._on_name = on_name
        self.edit = LineEdit(connection.screen_name, large=True)
        self.edit.selectAll()
        self.field = FormField("Screen Name", self.edit, required=True)
        self.edit.textChanged.connect(lambda _: self.field.set_error(None))
        self.body.addWidget(self.field)
        self.add_buttons("Rename", self._take)
        self.edit.setFocus()

    def _take(self) -> None:
        name = self.edit.text().strip()
        if not name:
            self.field.set_error("Enter a name.")
            return
        self.accept()
        self._on_name(name)


class DeleteDialog(Dialog):
    """Names the flows that would break. Cancel has the focus."""

    def __init__(
        self,
        parent: QWidget,
        connection: Connection,
        flows: Sequence[Flow],
        on_yes: Callable[[], object],
    ) -> None:
        super().__init__(parent, f"Delete “{connection.screen_name}”?", 420)
        self._on_yes = on_yes
        live = sum(flow.active for flow in flows)
        self.body.addWidget(Label(_told(len(flows), live), "body", "text_secondary", wrap=True))
        if flows:
            self.body.addWidget(_flow_list(flows))
        self.add_buttons("Delete", self._take, danger=True)
        names = ", ".join(flow.name for flow in flows)
        self.setAccessibleDescription(f"{_told(len(flows), live)} {names}".strip())

    def _take(self) -> None:
        self.accept()
        self._on_yes()


def _told(flows: int, live: int) -> str:
    if not flows:
        return "No flow uses it. You can undo this for ten seconds."
    published = f", {live} of them published" if live else ""
    return f"{count(flows, 'flow')} cannot work without it{published}. You can undo this for ten seconds."


def _flow_list(flows: Sequence[Flow]) -> ListArea:
    px, inside = theme().px, surface(QWidget(), "sidebar")
    column = QVBoxLayout(inside)
    column.setContentsMargins(px(12), px(6), px(12), px(6))
    column.setSpacing(0)
    for flow in flows:
        row = QHBoxLayout()
        row.addWidget(ElidedLabel(flow.name, "medium"), 1)
        row.addWidget(Tag(*flow_word(flow.status)))
        holder = QWidget()
        holder.setLayout(row)
        row.setContentsMargins(0, 0, 0, 0)
        holder.setFixedHeight(px(28))
        column.addWidget(holder)
    area = ListArea("Flows that would break")
    area.setWidget(inside)
    area.setFixedHeight(px(28) * min(len(flows), SHOWN_ROWS) + px(12))
    return area
