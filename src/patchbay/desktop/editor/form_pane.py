"""The middle pane of the editor: the selected step, its connection, trigger settings, and fields."""

from functools import partial

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QStackedLayout, QWidget

from patchbay.desktop.core.language import tr, tr_count
from patchbay.desktop.core.navigation import Place, Tab
from patchbay.desktop.editor.branch_forms import StructureForm
from patchbay.desktop.editor.event_chooser import EventChooser
from patchbay.desktop.editor.failure_section import FailureSection
from patchbay.desktop.editor.form_fields import ConnectionField, FormFields, FormHost
from patchbay.desktop.editor.step_previews import OutputPreviewBox, SchedulePreviewBox
from patchbay.desktop.editor.view_models.branches import CONDITIONS
from patchbay.desktop.editor.view_models.editor import EditorViewModel
from patchbay.desktop.editor.view_models.event_catalog import EventCatalog
from patchbay.desktop.editor.view_models.form import StepFormModel
from patchbay.desktop.editor.view_models.output_preview import OutputPreview
from patchbay.desktop.editor.view_models.schedule_preview import SchedulePreviewModel
from patchbay.desktop.editor.view_models.step_commands import StepCommands
from patchbay.desktop.kit.accessibility import AccessibleText
from patchbay.desktop.kit.boxes import hbox, vbox
from patchbay.desktop.kit.browser import open_in_browser
from patchbay.desktop.kit.buttons import Button, IconButton, paint_box, set_area_available
from patchbay.desktop.kit.icons import paint_app_tile, paint_icon
from patchbay.desktop.kit.inputs import ComboBox, FormField, InlineName
from patchbay.desktop.kit.layout import line, surface
from patchbay.desktop.kit.marks import STRUCTURE_ICONS
from patchbay.desktop.kit.messages import MessageBox
from patchbay.desktop.kit.secret_fields import CopyField
from patchbay.desktop.kit.text import ElidedLabel
from patchbay.desktop.kit.theme import theme
from patchbay.domain.apps import (
    ActionInfo,
    AppInfo,
    TriggerInfo,
    TriggerKind,
    connection_app,
    needs_connection,
    needs_connection_choice,
)
from patchbay.domain.base import AppKey, ConnectionId
from patchbay.domain.blockers import APP_FIELD, CONNECTION_FIELD, EVENT_FIELD
from patchbay.domain.connections import ConnectionHealth
from patchbay.domain.flow_calls import CALL_FLOW_ACTION, is_event
from patchbay.domain.flows import INTERVALS, Flow, Step, StepType, StructuralType


class StepTile(AccessibleText, QWidget):
    """The step's 32 px icon: its app, or its structural type."""

    def __init__(self) -> None:
        super().__init__()
        self._app: AppInfo | None = None
        self._icon = ""
        self.setFixedSize(theme().px(32), theme().px(32))

    def show_step(self, step: Step, app: AppInfo | None) -> None:
        """Show the app and the event of a step."""
        self._app, self._icon = app, STRUCTURE_ICONS.get(step.structural_type, "")
        self.setAccessibleName(app.name if app else "")
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._icon:
            paint_box(painter, QRectF(self.rect()), theme().tokens.accent_soft, None)
            paint_icon(painter, QRectF(self.rect()), self._icon, "accent_text")
        else:
            paint_app_tile(painter, QRectF(self.rect()), self._app)


# Trigger settings

_WEBHOOK_HELP = tr("Requests start the flow once it's published. Until then, every request is a test.")
_PAGE_HELP = tr(
    "Visitors open this address once the flow is published. Until then, what they send is a test."
)
_TEST_HELP = tr("Requests to this address are always tests. They appear here, and nothing runs.")
_TEST_PAGE_HELP = tr("What is sent from this address is always a test. It appears here, and nothing runs.")
_SIGNATURE_HELP: dict[bool | None, str] = {
    True: tr("Requests must be signed. Unsigned requests are rejected."),
    False: tr("Requests aren't signed. Anyone who knows the address can start the flow."),
}


class TriggerSettings(QWidget):
    """Address of the webhook or page, and polling interval; hidden if neither applies."""

    interval_chosen = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.address = CopyField("", tr("address that starts the flow"))
        self._address_field = FormField(tr("Webhook address"), self.address, help=_WEBHOOK_HELP)
        self.open_page = _open_button(tr("Open page"), self.address)
        self.test_address = CopyField("", tr("address for tests"))
        self._test_field = FormField(tr("Test address"), self.test_address, help=_TEST_HELP)
        self.open_test_page = _open_button(tr("Open page for tests"), self.test_address)
        self._sync_address = CopyField("", tr("address that waits for the response"))
        self._sync_field = FormField(
            tr("Address that waits for the response"),
            self._sync_address,
            help=tr("The caller receives the response from “Respond with”."),
        )
        self._no_address_notice = MessageBox(
            "warning",
            tr("No address yet"),
            tr(
                "Requests can't reach this workspace. Skip the test to continue. "
                "In a workspace on this computer or on a server, the flow gets an address."
            ),
        )
        self.interval = ComboBox(tr("Look for new items every", "followed by a time, such as 5 minutes"))
        self.interval.set_options([(minutes, _interval_text(minutes)) for minutes in INTERVALS])
        self.interval.value_changed.connect(self.interval_chosen.emit)
        self._interval_field = FormField(
            tr("Look for new items every", "followed by a time, such as 5 minutes"), self.interval
        )
        vbox(
            self._address_field,
            self._sync_field,
            self._test_field,
            self._no_address_notice,
            self._interval_field,
            parent=self,
            spacing=14,
        )

    def show_step(
        self, flow: Flow, step: Step, event: TriggerInfo | ActionInfo | None, *, editable: bool = True
    ) -> None:
        """Show the trigger. `editable`: only then can the test address receive requests."""
        trigger = event if isinstance(event, TriggerInfo) and step.type is StepType.TRIGGER else None
        url = step.webhook_url or ""
        # Third-party servers report the webhook address but not the trigger.
        webhook = trigger.show_webhook_url if trigger is not None else event is None and bool(url)
        can_wait = trigger is not None and any(item.key == "workSynchronously" for item in trigger.arguments)
        self._address_field.setVisible(webhook and bool(url))
        is_page = trigger is not None and trigger.shows_page
        self._name_address(step, is_page=is_page)
        self._sync_field.setVisible(webhook and bool(url) and can_wait and not is_page)
        self._test_field.setVisible(webhook and bool(url) and editable)
        self._no_address_notice.setVisible(webhook and not url)
        self.address.set_text(url)
        base_url = url.removesuffix("/sync")
        self._sync_address.set_text(f"{base_url}/sync")
        self.test_address.set_text(f"{base_url}/test")
        polling = trigger is not None and trigger.kind is TriggerKind.POLLING
        self._interval_field.setVisible(polling)
        self.interval.blockSignals(True)
        self.interval.set_value(flow.execution_interval)
        self.interval.blockSignals(False)
        self.setVisible(webhook or polling)

    def _name_address(self, step: Step, *, is_page: bool) -> None:
        """Call the address what it is: that of a page, or that of a webhook."""
        self._address_field.label.setText(tr("Form address") if is_page else tr("Webhook address"))
        self._address_field.set_help(
            _PAGE_HELP
            if is_page
            else " ".join(filter(None, [_WEBHOOK_HELP, _SIGNATURE_HELP.get(step.webhook_signed)]))
        )
        self._test_field.set_help(_TEST_PAGE_HELP if is_page else _TEST_HELP)
        self.open_page.setVisible(is_page)
        self.open_test_page.setVisible(is_page)


def _interval_text(minutes: int) -> str:
    if minutes == 60:
        return tr("hour", "after: look for new items every")
    if minutes == 1:
        return tr("minute", "after: look for new items every")
    return tr_count(minutes, "{n} minute", "{n} minutes", "after: look for new items every")


def _open_button(accessible_name: str, address: CopyField) -> Button:
    """A button beside an address that opens it in the browser."""
    button = Button(tr("Open", "verb, button"), icon="external-link")
    button.setAccessibleName(accessible_name)
    button.clicked.connect(lambda: open_in_browser(address.text()))
    address.add_button(button)
    return button


# Pane

STRUCTURE_SUBTITLES = {
    StructuralType.PATHS: tr("Decides which branches run"),
    StructuralType.BRANCH: tr("Branch", "a kind of step"),
    StructuralType.EACH: tr("Runs steps for each item of a list"),
}
LEFT = Qt.AlignmentFlag.AlignLeft


class FormPane(QWidget):
    """Shows the form, or the event chooser while the step has no event."""

    def __init__(self, editor: EditorViewModel, form: StepFormModel, commands: StepCommands) -> None:
        super().__init__()
        surface(self, "surface")
        self._editor = editor
        self._form = form
        self._commands = commands
        self._choosing = False
        self._shown_step = ""
        host = FormHost(form, editor.services.apps)
        self.fields = FormFields(form, host)
        self.preview = OutputPreviewBox(OutputPreview(editor, form, self))
        self.connection = ConnectionField()
        self._connection_frame = FormField(tr("Connection"), self.connection, required=True)
        self._health_warning = MessageBox("warning")
        self._read_only_notice = MessageBox("neutral")
        self.trigger = TriggerSettings()
        self.schedule = SchedulePreviewBox(SchedulePreviewModel(editor, form, self))
        self.structure = StructureForm(editor, commands, host)
        self.failure = FailureSection(editor, commands)
        self.called_flow = Button(tr("Open the called flow"), "link", "arrow-up-right")
        self.chooser = EventChooser(EventCatalog(editor.services, self))
        self.tile = StepTile()
        self.name = InlineName(tr("Step name"), tr("Rename: step name"))
        self._subtitle_label = ElidedLabel("", "caption", "text_secondary")
        self.change = Button(tr("Change…", "verb, button"), small=False)
        self.more = IconButton("ellipsis", tr("More about this step"))
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._build_form())
        self._stack.addWidget(self.chooser)
        self._connect()

    def _build_form(self) -> QWidget:
        page = QWidget()
        content = QWidget()
        surface(content, "surface")
        body = vbox(parent=content, margins=(20, 16, 20, 24), spacing=14)
        for widget in (
            self._read_only_notice,
            self._connection_frame,
            self._health_warning,
            self.trigger,
            self.fields,
            self.preview,
            self.schedule,
            self.structure,
            self.called_flow,
            self.failure,
        ):
            body.addWidget(widget, 0, LEFT if widget is self.called_flow else Qt.AlignmentFlag(0))
        body.addStretch(1)
        self.area = QScrollArea()
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setWidgetResizable(True)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setWidget(content)
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        vbox(
            hbox(
                self.tile,
                (vbox(self.name, self._subtitle_label, spacing=0), 1),
                self.change,
                self.more,
                margins=(20, 12, 20, 12),
                spacing=12,
            ),
            line(),
            (self.area, 1),
            parent=page,
            spacing=0,
        )
        return page

    def _connect(self) -> None:
        editor, commands = self._editor, self._commands
        editor.selected.connect(self._on_step_selected)
        for signal in (editor.flow_changed, editor.context_changed):
            signal.connect(self._show)
        self.change.clicked.connect(self.choose_event)
        self.chooser.chosen.connect(self._event_chosen)
        self.chooser.cancelled.connect(self._cancel_choosing)
        self.connection.chosen.connect(self._connection_chosen)
        self.connection.add_requested.connect(self._add_connection)
        self.called_flow.clicked.connect(self._open_called_flow)
        self.trigger.interval_chosen.connect(commands.set_interval)
        self._form.available_values_changed.connect(self.structure.refresh)
        self.structure.conditions_committed.connect(partial(self._form.leave, CONDITIONS))
        self.name.renamed.connect(self._renamed)

    # Showing

    def _on_step_selected(self) -> None:
        self._choosing = False
        self.area.verticalScrollBar().setValue(0)
        self._connection_frame.set_error(None)
        self._show()

    def _show(self) -> None:
        step, flow = self._editor.step, self._editor.flow
        if step is None or flow is None:
            return
        single = step.structural_type is StructuralType.SINGLE
        if single and (self._choosing or (not step.key and self._editor.unavailable_reason is None)):
            if self._stack.currentIndex() != 1 or self._shown_step != step.id:
                self._shown_step = step.id
                self.chooser.show_for(step.type, step.app_key, step.key)
            self._stack.setCurrentIndex(1)
            return
        self._stack.setCurrentIndex(0)
        app, event = self._editor.app, self._editor.app_event
        listed = app or self._editor.services.apps.get(step.app_key)
        self.tile.show_step(step, listed)
        self.name.show_name(self._editor.title(step))
        self.name.set_editable(self._editor.unavailable_reason is None)
        self._subtitle_label.setText(self._subtitle(step, listed, event.name if event else ""))
        self._show_connection(step)
        self.trigger.show_step(flow, step, event, editable=self._editor.unavailable_reason is None)
        self.fields.setVisible(single or bool(self._form.arguments))
        self.structure.show_step(step)
        self.failure.show_step(step, event)
        self.called_flow.setVisible(is_event(step, CALL_FLOW_ACTION) and bool(step.parameters.get("flow")))
        self.change.setVisible(single)
        self._show_read_only()

    def _show_read_only(self) -> None:
        """Make the form read-only and show the reason, if flows can't be edited."""
        reason = self._editor.unavailable_reason
        self._read_only_notice.setVisible(reason is not None)
        if reason is not None:
            self._read_only_notice.set("neutral", tr("This flow is read-only here"), reason)
        for widget in (
            self.fields,
            self.connection,
            self.trigger.interval,
            self.structure,
            self.failure,
            self.change,
        ):
            set_area_available(widget, reason)

    def _subtitle(self, step: Step, app: AppInfo | None, event: str) -> str:
        position = tr("Step {number}", number=step.position)
        if step.structural_type is not StructuralType.SINGLE:
            return f"{position} · {STRUCTURE_SUBTITLES[step.structural_type]}"
        name = app.name if app else step.app_key or ""
        is_trigger = step.type is StepType.TRIGGER
        kind = tr("Trigger in {app}", app=name) if is_trigger else tr("Action in {app}", app=name)
        event_suffix = f" · {event}" if step.name and event and step.name != event else ""
        return f"{position} · {kind}{event_suffix}"

    def _show_connection(self, step: Step) -> None:
        app = self._editor.app
        event = self._editor.app_event
        connection_app_key = connection_app(app, event)
        uses_connection, required = connection_app_key is not None, needs_connection(app, event)
        self._connection_frame.setVisible(uses_connection)
        self._connection_frame.set_required(required)
        connections = tuple(
            item for item in self._editor.connections.values() if item.app_key == connection_app_key
        )
        now = self._editor.services.clock()
        self.connection.show_connections(
            connections, step.connection_id, now, optional=not required, undecided=step.connection_undecided
        )
        selected = next((item for item in connections if item.id == step.connection_id), None)
        needs_attention = (
            uses_connection and selected is not None and selected.health is ConnectionHealth.NEEDS_ATTENTION
        )
        self._health_warning.setVisible(needs_attention)
        if needs_attention and selected is not None:
            reason = selected.reason or tr("The credentials were rejected when they were last used.")
            connection_id = selected.id
            self._health_warning.set(
                "warning",
                tr("“{name}” needs reconnecting", name=selected.screen_name),
                f"{reason}.".replace("..", "."),
                [(tr("Reconnect…"), lambda: self._open_my_apps("reconnect", connection_id))],
            )

    # Commands

    def choose_event(self) -> None:
        """Open the event chooser; the step keeps its event until another is chosen."""
        self._choosing = True
        self._show()
        self.chooser.search.setFocus(Qt.FocusReason.OtherFocusReason)

    def _event_chosen(self, app_key: AppKey, event_key: str) -> None:
        self._choosing = False
        self._editor.services.apps.detail(app_key, lambda app: self._apply_event(app, event_key), owner=self)

    def _apply_event(self, app: AppInfo, event_key: str) -> None:
        self._editor.apps[app.key] = app
        self._commands.choose_event(app.key, event_key)
        self._show()
        self.focus_first()

    def _cancel_choosing(self) -> None:
        self._choosing = False
        self._show()
        self.change.setFocus(Qt.FocusReason.OtherFocusReason)

    def _connection_chosen(self, connection_id: ConnectionId | None) -> None:
        self._connection_frame.set_error(None)
        self._commands.choose_connection(connection_id)

    def _add_connection(self) -> None:
        step = self._editor.step
        if step is not None:
            self._open_my_apps(
                "add", connection_app(self._editor.app, self._editor.app_event) or step.app_key
            )

    def _lacks_connection(self) -> bool:
        editor = self._editor
        if editor.step is None or editor.step.connection_id is not None:
            return False
        undecided = editor.step.connection_undecided
        return self._connection_frame.isVisible() and needs_connection_choice(
            editor.app, editor.app_event, undecided=undecided
        )

    def _open_my_apps(self, section: str, about: str | None) -> None:
        self._editor.leave()
        self._editor.services.navigator.go(Place(Tab.MY_APPS, id=about, section=section))

    def _open_called_flow(self) -> None:
        if step := self._editor.step:
            self._editor.leave()
            place = Place(Tab.FLOWS, id=str(step.parameters.get("flow")), section="editor")
            self._editor.services.navigator.go(place)

    def rename(self) -> None:
        """Focus the step's name; steps without an event have none yet."""
        if self._stack.currentIndex() == 0:
            self.name.begin()

    def _renamed(self, name: str) -> None:
        if self._editor.step_id:
            self._commands.rename_step(self._editor.step_id, name)

    # Focus

    @property
    def content(self) -> QWidget:
        """Return the focusable widgets: fields, or search and results."""
        return self.chooser if self._stack.currentIndex() == 1 else self.area

    def focus_first(self) -> None:
        """Focus the first input."""
        if self._stack.currentIndex() == 1:
            self.chooser.search.setFocus(Qt.FocusReason.OtherFocusReason)
        elif self._lacks_connection():
            self.connection.setFocus(Qt.FocusReason.OtherFocusReason)
        elif self.structure.focus_first():
            return
        elif self.fields.editors:
            self.fields.focus(next(iter(self.fields.editors)))

    def focus_chooser(self) -> None:
        """Focus the event search if the step has no event yet."""
        if self._stack.currentIndex() == 1:
            self.focus_first()

    def focus_field(self, name: str, reason: str = "") -> None:
        """Scroll to a field, show its error, and focus it.

        Names are those of blockers: keys of arguments, or step fields.
        """
        if name in (APP_FIELD, EVENT_FIELD) and name not in self.fields.editors:
            self.choose_event() if self._editor.step and self._editor.step.key else self.focus_first()
            return
        if name == CONNECTION_FIELD and name not in self.fields.editors:
            text = f"{reason or tr('Choose a connection')}.".replace("..", ".")
            already_shown = self._connection_frame.error == text
            self._connection_frame.set_error(text)
            self.connection.setFocus(Qt.FocusReason.ShortcutFocusReason)
            self.area.ensureWidgetVisible(self._connection_frame)
            if already_shown:
                self.connection.open()
            return
        self._form.check(name)
        if self.structure.focus(name, reason):
            return
        if self.fields.focus(name):
            self.area.ensureWidgetVisible(self.fields.frames[name])
