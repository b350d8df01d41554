"""What stands above the list of apps: filter, views, testing all, category and order."""

from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from patchbay.desktop.state.my_apps import MyAppsViewModel
from patchbay.desktop.state.my_apps_rows import Order
from patchbay.desktop.ui.kit.accessibility import SelfDescribing
from patchbay.desktop.ui.kit.availability import set_available
from patchbay.desktop.ui.kit.buttons import Button, IconButton
from patchbay.desktop.ui.kit.chips import FilterChip
from patchbay.desktop.ui.kit.inputs import SearchField
from patchbay.desktop.ui.kit.text import Label
from patchbay.desktop.ui.kit.theme import theme

_ORDER_OPTIONS = ((Order.RECENT, "Recently used first"), (Order.NAME, "By name"))


class _LayoutButton(SelfDescribing, IconButton):
    """One of the two ways to show the apps."""

    accessible_role = QAccessible.Role.RadioButton


class AppToolbar(QWidget):
    """Two rows. What is chosen here is kept by the view-model."""

    def __init__(self, model: MyAppsViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.filter = SearchField("Filter apps", key_cap="/")
        self.filter.text_changed.connect(model.set_text)
        self.list_button, self.grid_button = (
            _LayoutButton("list", "Show as list"),
            _LayoutButton("layout-grid", "Show as grid"),
        )
        for button, grid in ((self.list_button, False), (self.grid_button, True)):
            button.setCheckable(True)
            button.setChecked(model.grid is grid)
            button.clicked.connect(lambda _=False, grid=grid: model.set_grid(grid))
        self.test_all = Button("Test all")
        self.test_all.clicked.connect(self._toggle_test)
        self.category = FilterChip("Category")
        self.category.value_changed.connect(lambda value: model.set_category(value or ""))
        self.order = FilterChip("Order", unset="Problems first")
        self.order.set_options(list(_ORDER_OPTIONS))
        if model.order is not Order.HEALTH:
            self.order.set_value(model.order)
        self.order.value_changed.connect(lambda value: model.set_order(value or Order.HEALTH))
        self.progress = Label("", "caption", "text_secondary")
        self._lay_out()
        model.busy_changed.connect(self.show_progress)

    def show_options(self) -> None:
        """Show the view that is chosen and the categories there are."""
        self.grid_button.setChecked(self._model.grid)
        self.list_button.setChecked(not self._model.grid)
        self.category.set_options([(name, name) for name in self._model.categories])
        no_connections = None if self._model.has_connections else "There is no connection to test yet."
        set_available(self.test_all, no_connections)

    def show_progress(self) -> None:
        """n of m while all connections are tested."""
        test_round = self._model.round
        self.test_all.setText("Stop" if test_round.running else "Test all")
        self.test_all.setAccessibleName("Stop testing" if test_round.running else "Test all")
        number = min(test_round.done + 1, test_round.total)
        self.progress.setText(f"Testing {number} of {test_round.total}" if test_round.running else "")
        self.progress.setVisible(test_round.running)

    def clear(self) -> None:
        """Take search and category away."""
        self.filter.clear()
        self.category.clear()

    def _toggle_test(self) -> None:
        self._model.cancel_test_all() if self._model.testing_all else self._model.test_all()

    def _lay_out(self) -> None:
        px = theme().px
        first, second = QHBoxLayout(), QHBoxLayout()
        for row in (first, second):
            row.setSpacing(px(8))
        first.addWidget(self.filter, 1)
        views = QHBoxLayout()
        views.setSpacing(px(2))
        views.addWidget(self.list_button)
        views.addWidget(self.grid_button)
        first.addLayout(views)
        first.addWidget(self.test_all)
        second.addWidget(self.category)
        second.addWidget(self.order)
        second.addStretch(1)
        second.addWidget(self.progress)
        column = QVBoxLayout(self)
        column.setContentsMargins(px(16), px(9), px(16), px(9))
        column.setSpacing(px(8))
        column.addLayout(first)
        column.addLayout(second)
