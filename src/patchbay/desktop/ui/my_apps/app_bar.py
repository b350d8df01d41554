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

_ORDERS = ((Order.RECENT, "Recently used first"), (Order.NAME, "By name"))


class _Layout(SelfDescribing, IconButton):
    """One of the two ways to show the apps."""

    accessible_role = QAccessible.Role.RadioButton


class AppBar(QWidget):
    """Two rows. What is chosen here is kept by the view-model."""

    def __init__(self, model: MyAppsViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.filter = SearchField("Filter apps", key_cap="/")
        self.filter.text_changed.connect(model.set_text)
        self.as_list, self.as_grid = (
            _Layout("list", "Show as list"),
            _Layout("layout-grid", "Show as grid"),
        )
        for button, grid in ((self.as_list, False), (self.as_grid, True)):
            button.setCheckable(True)
            button.setChecked(model.grid is grid)
            button.clicked.connect(lambda _=False, grid=grid: model.set_grid(grid))
        self.test_all = Button("Test all")
        self.test_all.clicked.connect(self._toggle_test)
        self.category = FilterChip("Category")
        self.category.value_changed.connect(lambda value: model.set_category(value or ""))
        self.order = FilterChip("Order", unset="Problems first")
        self.order.set_options(list(_ORDERS))
        if model.order is not Order.HEALTH:
            self.order.set_value(model.order)
        self.order.value_changed.connect(lambda value: model.set_order(value or Order.HEALTH))
        self.progress = Label("", "caption", "text_secondary")
        self._lay_out()
        model.busy_changed.connect(self.show_progress)

    def show_choices(self) -> None:
        """Show the view that is chosen and the categories there are."""
        self.as_grid.setChecked(self._model.grid)
        self.as_list.setChecked(not self._model.grid)
        self.category.set_options([(name, name) for name in self._model.categories])
        nothing = None if self._model.has_connections else "There is no connection to test yet."
        set_available(self.test_all, nothing)

    def show_progress(self) -> None:
        """n of m while all connections are tested."""
        going = self._model.round
        self.test_all.setText("Stop" if going.running else "Test all")
        self.test_all.setAccessibleName("Stop testing" if going.running else "Test all")
        number = min(going.done + 1, going.total)
        self.progress.setText(f"Testing {number} of {going.total}" if going.running else "")
        self.progress.setVisible(going.running)

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
        views.addWidget(self.as_list)
        views.addWidget(self.as_grid)
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
