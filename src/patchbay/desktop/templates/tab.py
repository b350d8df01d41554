"""The Templates tab: gallery, preview, and the dialog that saves a flow as a template."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from patchbay.desktop.core.language import number_text, tr
from patchbay.desktop.core.navigation import Place
from patchbay.desktop.core.services import Services
from patchbay.desktop.kit.boxes import Stretch, hbox, vbox
from patchbay.desktop.kit.buttons import Button
from patchbay.desktop.kit.chips import FilterChip
from patchbay.desktop.kit.dialogs import Dialog
from patchbay.desktop.kit.inputs import ComboBox, FormField
from patchbay.desktop.kit.layout import ListAndPane, surface
from patchbay.desktop.kit.line_edit import LineEdit, SearchField
from patchbay.desktop.kit.list_states import ListStack
from patchbay.desktop.kit.messages import MessageBox
from patchbay.desktop.kit.tab_strip import SegmentedControl
from patchbay.desktop.kit.tab_view import TabView
from patchbay.desktop.kit.text import plain_tip
from patchbay.desktop.kit.theme import theme
from patchbay.desktop.templates.gallery import TemplateGallery
from patchbay.desktop.templates.preview import TemplatePane
from patchbay.desktop.templates.view_models.templates import TemplateFilter, TemplatesViewModel
from patchbay.domain.base import TemplateId
from patchbay.domain.errors import AppError, NotSupported
from patchbay.domain.flows import Flow


class SaveTemplateDialog(Dialog):
    """The dialog that saves a flow as a template.

    The name follows the chosen flow until it is edited. The dialog closes once the template is saved.
    """

    def __init__(self, screen: TemplatesViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent, tr("New template from a flow"), 420)
        self._screen = screen
        self._name_edited = False
        self.flow, self.name = ComboBox(tr("Flow"), large=True), LineEdit("", tr("Template name"), large=True)
        self.flow_field = FormField(tr("Flow"), self.flow, True)
        self.name_field = FormField(
            tr("Name"), self.name, True, tr("Connections and folders aren't saved in the template.")
        )
        self.problem = MessageBox("failure")
        self.problem.hide()
        for widget in (self.flow_field, self.name_field, self.problem):
            self.body.addWidget(widget)
        self.save, _ = self.add_buttons(tr("Save template"), self._save)
        self.flow.currentIndexChanged.connect(self._copy_flow_name)
        self.name.textEdited.connect(self._on_name_edited)
        screen.flows_loaded.connect(self._fill)
        screen.saved.connect(self.accept)
        screen.save_failed.connect(self._show_error)
        screen.read_flows()

    def _fill(self, flows: Sequence[Flow]) -> None:
        self.flow.set_options([(flow.id, flow.name) for flow in flows])
        self._copy_flow_name()

    def _copy_flow_name(self) -> None:
        if not self._name_edited:
            self.name.setText(self.flow.currentText())

    def _on_name_edited(self) -> None:
        self._name_edited = True
        self.name_field.set_error(None)

    def _save(self) -> None:
        if not self.name.text().strip():
            self.name_field.set_error(tr("Enter a name."))
        elif self.flow.value() is None:
            self.flow_field.set_error(tr("There are no flows to save yet."))
        else:
            self.save.set_busy(True, tr("Saving"))
            self._screen.save(self.name.text(), self.flow.value())

    def _show_error(self, error: AppError) -> None:
        self.save.set_busy(False)
        self.problem.show_error(error)


# Tab

FROM_FLOW = tr("New template…")
_READY_HELP = tr("“Ready to use”: their apps are connected already, or need no connection")
SEARCH = tr("Filter templates")


def _kind_label(kind: TemplateFilter, number: int) -> str:
    n = number_text(number)
    match kind:
        case TemplateFilter.ALL:
            return tr("All {n}", n=n)
        case TemplateFilter.READY:
            return tr("Ready to use {n}", n=n)
        case TemplateFilter.SAVED:
            return tr("Saved by you {n}", n=n)


class TemplatesTab(TabView):
    """The Templates tab: browse, preview, and use templates."""

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.templates = TemplatesViewModel(services, self)
        self._head = QWidget()
        self.search = SearchField(SEARCH, key_cap="/")
        self.kinds = SegmentedControl(tr("Show templates"))
        self.topic, self.app = FilterChip(tr("Topic")), FilterChip(tr("App"))
        self.new = Button(FROM_FLOW, icon="plus")
        self.new.setAccessibleName(tr("New template from a flow"))
        self.gallery = TemplateGallery(self.templates, services)
        self.rows = ListStack(self.gallery)
        self.pane = TemplatePane(self.templates)
        self._lay_out()
        screen = self.templates
        self.search.text_changed.connect(lambda text: screen.update_filter(text=text.strip()))
        self.kinds.chosen.connect(lambda at: screen.update_filter(kind=screen.kinds[at]))
        self.topic.value_changed.connect(lambda topic: screen.update_filter(topic=topic))
        self.app.value_changed.connect(lambda app: screen.update_filter(app_key=app))
        self.new.clicked.connect(self.save_from_flow)
        self.gallery.use_requested.connect(self.pane.use_template)
        self.gallery.delete_requested.connect(self._delete)
        self.pane.delete_requested.connect(self._delete)
        screen.cards_changed.connect(self._show)
        screen.failed.connect(self._show_error)
        self.rows.show_page().show_loading(tr("Loading templates"))
        self.pane.hide()

    def activate(self) -> None:
        self.templates.load()
        self.rows.enter()

    def go(self, place: Place) -> None:
        """Select the template `id`."""
        self.templates.load()
        if place.id is not None:
            self.templates.clear()
            self.templates.select(TemplateId(place.id))

    def focus_filter(self) -> None:
        self.rows.cancel_focus_request()
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    def save_from_flow(self) -> SaveTemplateDialog:
        """Ask for a flow to save as a template."""
        dialog = SaveTemplateDialog(self.templates, self.window())
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()
        return dialog

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Slash:
            self.focus_filter()
        else:
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._head and event.type() is QEvent.Type.Resize:
            self._choose_texts()
        return super().eventFilter(watched, event)

    def _choose_texts(self) -> None:
        """Use the long texts of the bar if it has room for them beside the pane."""
        long_search = self.search.fontMetrics().horizontalAdvance(SEARCH) + theme().px(60)
        others = self.kinds, self.topic, self.app
        needed = long_search + sum(widget.sizeHint().width() for widget in others) + theme().px(180)
        is_wide = self._head.width() >= needed
        self.new.setText(FROM_FLOW if is_wide else tr("New", "button: a template from a flow"))
        self.search.setPlaceholderText(SEARCH if is_wide else tr("Search"))

    def _lay_out(self) -> None:
        surface(self, "surface")
        px = theme().px
        self.search.setMaximumWidth(px(240))
        self.search.setMinimumWidth(self.search.fontMetrics().horizontalAdvance(tr("Search")) + px(48))
        bar = hbox(
            (self.search, 20),
            self.kinds,
            self.topic,
            self.app,
            Stretch(),
            self.new,
            margins=(16, 0, 16, 0),
            spacing=8,
        )
        self._head.setFixedHeight(px(48))
        self._head.installEventFilter(self)
        self._head.setLayout(bar)
        left = QWidget()
        vbox(self._head, (vbox(self.rows, margins=(16, 0, 4, 0)), 1), parent=left, spacing=0)
        vbox(ListAndPane(left, self.pane, max_pane_width=520), parent=self)

    def _delete(self) -> None:
        card = self.templates.card
        if card is not None and card.saved and self.templates.unavailable_reason is None:
            self.templates.delete(card.id)

    def _show(self) -> None:
        screen = self.templates
        kinds = screen.kinds
        self.kinds.set_labels([_kind_label(kind, screen.count(kind)) for kind in kinds])
        self.kinds.set_current(kinds.index(screen.kind))
        self.kinds.setToolTip(plain_tip(_READY_HELP if TemplateFilter.READY in kinds else ""))
        self.topic.set_options(list(screen.topics.items()))
        self.topic.set_value(screen.topic)
        self.app.set_options([(app.key, app.name) for app in screen.apps])
        self.app.set_value(screen.app_key)
        if screen.text != self.search.text().strip():
            self.search.setText(screen.text)
        if not screen.loaded:
            return
        self.new.setEnabled(screen.unavailable_reason is None)
        self.new.setToolTip(plain_tip(screen.unavailable_reason or ""))
        if screen.shown:
            self.rows.show_rows()
        elif screen.filtered:
            self.rows.show_page().show_no_match(
                screen.clear, tr("No matching templates"), tr("No template matches all the filters.")
            )
        else:
            self.rows.show_page().show_empty(
                "layout-template",
                tr("No templates yet"),
                tr("A template is a starting point for new flows. Save one of your flows as a template."),
                [(FROM_FLOW, self.save_from_flow, "plus")],
            )
        self.pane.setVisible(bool(screen.shown))

    def _show_error(self, error: AppError) -> None:
        self.pane.hide()
        if isinstance(error, NotSupported):
            self.new.setEnabled(False)
            self.new.setToolTip(plain_tip(error.happened))
            page = self.rows.show_page()
            page.show_empty("layout-template", tr("No templates here"), error.happened)
            return
        self.rows.show_page().show_error(error, self.templates.refresh)
