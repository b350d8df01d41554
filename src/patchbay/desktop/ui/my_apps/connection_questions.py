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

MAX_VISIBLE_ROWS = 6


class RenameConnectionDialog(Dialog):
    """Asks for a screen name; an empty one is told about, not taken."""

    def __init__(self, parent: QWidget, connection: Connection, on_renamed: Callable[[str], object]) -> None:
        super().__init__(parent, "Rename connection", 420)
        self._on_renamed = on_renamed
        self.edit = LineEdit(connection.screen_name, large=True)
        self.edit.selectAll()
        self.field = FormField("Screen Name", self.edit, required=True)
        self.edit.textChanged.connect(lambda _: self.field.set_error(None))
        self.body.addWidget(self.field)
        self.add_buttons("Rename", self._submit)
        self.edit.setFocus()

    def _submit(self) -> None:
        name = self.edit.text().strip()
        if not name:
            self.field.set_error("Enter a name.")
            return
        self.accept()
        self._on_renamed(name)


class DeleteConnectionDialog(Dialog):
    """Names the flows that would break. Cancel has the focus."""

    def __init__(
        self,
        parent: QWidget,
        connection: Connection,
        flows: Sequence[Flow],
        on_confirm: Callable[[], object],
    ) -> None:
        super().__init__(parent, f"Delete “{connection.screen_name}”?", 420)
        self._on_confirm = on_confirm
        published_count = sum(flow.active for flow in flows)
        self.body.addWidget(
            Label(_consequence(len(flows), published_count), "body", "text_secondary", wrap=True)
        )
        if flows:
            self.body.addWidget(_flow_list(flows))
        self.add_buttons("Delete", self._submit, danger=True)
        names = ", ".join(flow.name for flow in flows)
        self.setAccessibleDescription(f"{_consequence(len(flows), published_count)} {names}".strip())

    def _submit(self) -> None:
        self.accept()
        self._on_confirm()


def _consequence(flows: int, published_count: int) -> str:
    if not flows:
        return "No flow uses it. You can undo this for ten seconds."
    published = f", {published_count} of them published" if published_count else ""
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
        row_widget = QWidget()
        row_widget.setLayout(row)
        row.setContentsMargins(0, 0, 0, 0)
        row_widget.setFixedHeight(px(28))
        column.addWidget(row_widget)
    area = ListArea("Flows that would break")
    area.setWidget(inside)
    area.setFixedHeight(px(28) * min(len(flows), MAX_VISIBLE_ROWS) + px(12))
    return area
