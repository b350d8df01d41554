"""Settings: a side list of matters; changes apply at once, there is no OK button."""

from collections.abc import Callable

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QPainter
from PySide6.QtWidgets import (
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QStackedWidget,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from patchbay.desktop.state.secrets import SecretsViewModel
from patchbay.desktop.ui.kit.buttons import Button
from patchbay.desktop.ui.kit.delegates import RowDelegate, paint_row_background, paint_text
from patchbay.desktop.ui.kit.dialogs import Dialog
from patchbay.desktop.ui.kit.icons import paint_icon
from patchbay.desktop.ui.kit.inputs import ComboBox, CopyField, FormField, copy_text
from patchbay.desktop.ui.kit.surface import line, surface
from patchbay.desktop.ui.kit.text import Label
from patchbay.desktop.ui.kit.theme import theme
from patchbay.desktop.ui.shell.connections_page import ConnectionsPage
from patchbay.desktop.ui.shell.engine_page import EnginePage
from patchbay.desktop.ui.shell.licences import built_with
from patchbay.desktop.ui.shell.options import Appearance, ShellOptions
from patchbay.desktop.ui.shell.secrets_page import SecretsPage

PAGES = (
    ("Appearance", "palette"),
    ("Engine", "activity"),
    ("Connections", "blocks"),
    ("Secrets", "lock"),
    ("Data", "hard-drive"),
    ("About", "info"),
)
SCHEMES = [("system", "As the system"), ("light", "Light"), ("dark", "Dark")]
FONTS = [
    ("automatic", "Automatic"),
    ("system", "The system’s font"),
    ("inter", "Inter"),
]


class SettingsDialog(Dialog):
    """760 x 560. `appearance_changed` carries the whole choice each time."""

    appearance_changed = Signal(object)
    tests_chosen = Signal(float)
    passphrase_given = Signal(str)

    def __init__(
        self,
        parent: QWidget,
        options: ShellOptions,
        secrets: SecretsViewModel | None = None,
        engine: EnginePage | None = None,
        *,
        open_folder: Callable[[QUrl], object] = QDesktopServices.openUrl,
    ) -> None:
        super().__init__(parent, "Settings", 760, head=False)
        self._options, self._secrets, self._open_folder = options, secrets, open_folder
        self._licences = options.licences or built_with()
        self.setFixedHeight(theme().px(560))
        self.body.setContentsMargins(0, 0, 0, 0)
        self.pages = QStackedWidget()
        self.list = self._side_list()
        row = QHBoxLayout()
        row.setSpacing(0)
        row.addWidget(self.list)
        row.addWidget(line(vertical=True))
        row.addWidget(self.pages, 1)
        self.body.addLayout(row)
        self.connections = ConnectionsPage(options.test_every_hours)
        self.connections.chosen.connect(self.tests_chosen)
        for page in (
            self._appearance(), self._engine_page(engine), self.connections, self._secrets_page(),
            self._data(), self._about(),
        ):  # fmt: skip
            self.pages.addWidget(page)
        self.list.currentRowChanged.connect(self.pages.setCurrentIndex)
        self.list.setCurrentRow(0)
        self.add_buttons("Close", self.accept)[1].hide()

    def show_page(self, name: str) -> None:
        self.list.setCurrentRow([title for title, _ in PAGES].index(name))

    def _side_list(self) -> QListWidget:
        made = QListWidget()
        made.setAccessibleName("Settings")
        made.setFixedWidth(theme().px(190))
        made.setItemDelegate(_SideDelegate(made))
        made.setMouseTracking(True)
        surface(made, "sidebar")
        made.setViewportMargins(0, theme().px(8), 0, 0)
        for title, icon in PAGES:
            item = QListWidgetItem(title)
            item.setData(Qt.ItemDataRole.UserRole, icon)
            made.addItem(item)
        return made

    def _appearance(self) -> QWidget:
        page, column = _page("Appearance")
        chosen = self._options.appearance
        self.scheme = ComboBox("Colours", large=True)
        self.scheme.set_options(SCHEMES)
        self.scheme.set_value(chosen.scheme)
        self.font_choice = ComboBox("Font", large=True)
        self.font_choice.set_options(FONTS)
        self.font_choice.set_value(chosen.font)
        for box in (self.scheme, self.font_choice):
            box.value_changed.connect(self._changed)
        column.addWidget(FormField("Colours", self.scheme))
        help_text = "Automatic takes the system’s font, or Inter where the system has none made for screens."
        column.addWidget(FormField("Font", self.font_choice, help=help_text))
        column.addStretch(1)
        return page

    def _engine_page(self, engine: EnginePage | None) -> QWidget:
        page, column = _page("Engine")
        if engine is None:
            text = "Open a workspace to see how its engine is set."
            column.addWidget(Label(text, "body", "text_secondary", wrap=True))
            column.addStretch(1)
        else:
            self.engine = engine
            _give_room(page, column)
            column.addWidget(engine, 1)
        return page

    def _secrets_page(self) -> QWidget:
        page, column = _page("Secrets")
        if self._secrets is None:
            text = "Open a workspace to see where its credentials are kept."
            column.addWidget(Label(text, "body", "text_secondary", wrap=True))
            column.addStretch(1)
        else:
            self.secrets = SecretsPage(self._secrets)
            self.secrets.passphrase_given.connect(self.passphrase_given)
            column.addWidget(self.secrets, 1)
        return page

    def _data(self) -> QWidget:
        page, column = _page("Data")
        folder = self._options.data_folder
        if folder is None:
            text = (
                "This workspace keeps nothing on this computer."
                if self._options.workspace
                else "No workspace is open."
            )
            column.addWidget(Label(text, "body", "text_secondary", wrap=True))
        else:
            field = CopyField(str(folder), "folder")
            column.addWidget(
                FormField("Folder", field, help="Flows, executions and encrypted secrets of this computer.")
            )
            self.open_button = Button("Open folder", icon="folder-open")
            self.open_button.clicked.connect(lambda: self._open_folder(QUrl.fromLocalFile(str(folder))))
            column.addWidget(self.open_button, 0, Qt.AlignmentFlag.AlignLeft)
        column.addStretch(1)
        return page

    def _about(self) -> QWidget:
        page, column = _page(f"Patchbay {self._options.version}".strip())
        column.addWidget(
            Label("Workflow automation on your own computer. Apache License 2.0.", "body", "text_secondary")
        )
        column.addWidget(Label("Built with", "caption_strong", "text_tertiary"))
        for name, licence in self._licences:
            row = QHBoxLayout()
            row.addWidget(Label(name))
            row.addStretch(1)
            row.addWidget(Label(licence, "body", "text_secondary"))
            column.addLayout(row)
        copy = Button("Copy versions", icon="copy")
        copy.clicked.connect(lambda: copy_text(self.about_text()))
        column.addStretch(1)
        column.addWidget(copy, 0, Qt.AlignmentFlag.AlignLeft)
        return page

    def about_text(self) -> str:
        lines = [f"Patchbay {self._options.version}"]
        return "\n".join([*lines, *(f"{name}: {licence}" for name, licence in self._licences)])

    def _changed(self, _: object) -> None:
        self.appearance_changed.emit(Appearance(self.scheme.value(), self.font_choice.value()))


class _SideDelegate(RowDelegate):
    """Rows of the side list."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, height=34)

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(theme().px(120), self.row_height)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        px = theme().px
        paint_row_background(painter, option, rule=False)
        rect = QRectF(option.rect)
        icon = index.data(Qt.ItemDataRole.UserRole)
        paint_icon(painter, QRectF(rect.x() + px(14), rect.y(), px(20), rect.height()), icon)
        paint_text(painter, rect.adjusted(px(42), 0, -px(8), 0), str(index.data()))


def _give_room(page: QWidget, column: QVBoxLayout) -> None:
    """For a page that scrolls: what it shows begins 4 px inside, where focus rings have their place."""
    px = theme().px
    column.setContentsMargins(px(20), px(22), px(10), px(10))
    for title in page.findChildren(Label, options=Qt.FindChildOption.FindDirectChildrenOnly):
        title.setContentsMargins(px(4), 0, 0, 0)


def _page(title: str) -> tuple[QWidget, QVBoxLayout]:
    px = theme().px
    page = QWidget()
    surface(page, "surface")
    column = QVBoxLayout(page)
    column.setContentsMargins(px(24), px(22), px(24), px(20))
    column.setSpacing(px(14))
    column.addWidget(Label(title, "title"))
    return page, column
