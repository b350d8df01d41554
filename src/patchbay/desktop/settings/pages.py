"""The sections of the settings, in order, and the short pages among them."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from patchbay.desktop.core.language import formats, tr
from patchbay.desktop.core.services import Services
from patchbay.desktop.kit.boxes import Stretch, hbox, vbox
from patchbay.desktop.kit.buttons import Button
from patchbay.desktop.kit.inputs import ComboBox, FormField
from patchbay.desktop.kit.layout import FormScroll
from patchbay.desktop.kit.secret_fields import copy_text
from patchbay.desktop.kit.text import Label
from patchbay.desktop.kit.theme import theme
from patchbay.desktop.settings.api_keys_page import KeysPage
from patchbay.desktop.settings.audit_log import AuditPage
from patchbay.desktop.settings.data_page import DataPage
from patchbay.desktop.settings.engine_page import EnginePage
from patchbay.desktop.settings.general_page import build_general_page
from patchbay.desktop.settings.hosting_page import ServicePage
from patchbay.desktop.settings.language_page import LanguagePage
from patchbay.desktop.settings.licences import built_with
from patchbay.desktop.settings.notifications_page import build_notifications_page
from patchbay.desktop.settings.people_page import PeoplePage
from patchbay.desktop.settings.reset_bar import ResetBar, reset_boxes
from patchbay.desktop.settings.secrets_page import SecretsPage
from patchbay.desktop.settings.view_models.api_keys import ApiKeysViewModel
from patchbay.desktop.settings.view_models.audit_log import AuditLogViewModel
from patchbay.desktop.settings.view_models.engine_settings import EngineSettingsViewModel
from patchbay.desktop.settings.view_models.hosting import HostingViewModel
from patchbay.desktop.settings.view_models.people import PeopleViewModel
from patchbay.desktop.settings.view_models.secrets import SecretsViewModel
from patchbay.desktop.settings.view_models.sections import SECTION_LABELS
from patchbay.desktop.settings.window_options import Appearance

if TYPE_CHECKING:
    from patchbay.desktop.settings.dialog import SettingsDialog

DEFAULT_TEST_INTERVAL = 6.0
TEST_INTERVALS = (
    (1.0, tr("Every hour")),
    (6.0, tr("Every 6 hours")),
    (24.0, tr("Once a day")),
    (0.0, tr("Never", "how often")),
)
_HELP = tr(
    "Connections are tested at start-up and then at this interval. You're notified when one stops working."
)
DEFAULT_APPEARANCE = Appearance()
_COLOURS_HELP = tr("“Follow system” changes with the system, for example at night.")
SCHEME_OPTIONS = [
    ("system", tr("Follow system")),
    ("light", tr("Light", "colours")),
    ("dark", tr("Dark", "colours")),
]
FONT_OPTIONS = [
    ("automatic", tr("Automatic", "font")),
    ("system", tr("The system's font")),
    ("inter", "Inter"),
]


class ConnectionsPage(QWidget):
    """How often connections are tested. With `hours` None, this program doesn't test them (demo, server)."""

    chosen = Signal(float)

    def __init__(self, hours: float | None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        column = vbox(parent=self, spacing=14)
        self.every = ComboBox(tr("Test connections"), large=True)
        if hours is None:
            text = tr("The server decides how often it tests connections. The demo never does.")
            column.addWidget(Label(text, "body", "text_secondary", wrap=True))
        else:
            custom = (
                ()
                if hours in dict(TEST_INTERVALS)
                else ((hours, tr("Every {n} hours", n=formats().toString(hours, "g", 6))),)
            )
            self.every.set_options([*TEST_INTERVALS, *custom])
            self.every.set_value(hours)
            self.every.value_changed.connect(lambda value: self.chosen.emit(value))
            column.addWidget(FormField(tr("Test connections"), self.every, help=_HELP))
        column.addStretch(1)
        if hours is not None:
            self.reset = ResetBar(partial(reset_boxes, {self.every: DEFAULT_TEST_INTERVAL}))
            self.every.value_changed.connect(
                lambda value: self.reset.show_changed(value != DEFAULT_TEST_INTERVAL)
            )
            self.reset.show_changed(hours != DEFAULT_TEST_INTERVAL)
            column.addWidget(self.reset)


@dataclass(frozen=True)
class SettingsSection:
    """An entry of the list of sections, opened by its title and shown with its label.

    `make` creates its page, or `build_for_workspace` if the page needs an open workspace; `closed` is shown
    while none is open.
    """

    title: str
    icon: str
    make: "Callable[[SettingsDialog], QWidget] | None" = None
    build_for_workspace: "Callable[[SettingsDialog, Services], QWidget] | None" = None
    closed: str = ""
    scrolls: bool = False

    @property
    def label(self) -> str:
        """The title in the language of the window."""
        return SECTION_LABELS[self.title]


class AppearancePage(QWidget):
    """Colours and font."""

    def __init__(self, dialog: "SettingsDialog") -> None:
        super().__init__()
        self._appearance_changed = dialog.appearance_changed
        chosen = dialog.options.appearance
        self.scheme = ComboBox(tr("Colours"), large=True)
        self.scheme.set_options(SCHEME_OPTIONS)
        self.scheme.set_value(chosen.scheme)
        self.font_choice = ComboBox(tr("Font"), large=True)
        self.font_choice.set_options(FONT_OPTIONS)
        self.font_choice.set_value(chosen.font)
        for box in (self.scheme, self.font_choice):
            box.value_changed.connect(self._emit_appearance)
        help_text = tr("“Automatic” uses the system font, or Inter if there's no suitable one.")
        column = _page_column(self)
        column.addWidget(FormField(tr("Colours"), self.scheme, help=_COLOURS_HELP))
        column.addWidget(FormField(tr("Font"), self.font_choice, help=help_text))
        column.addStretch(1)
        self.reset = ResetBar(partial(reset_boxes, dict(self._defaults())))
        column.addWidget(self.reset)
        self._show_reset()

    def _defaults(self) -> tuple[tuple[ComboBox, str], ...]:
        return (self.scheme, DEFAULT_APPEARANCE.scheme), (self.font_choice, DEFAULT_APPEARANCE.font)

    def _show_reset(self) -> None:
        self.reset.show_changed(any(box.value() != default for box, default in self._defaults()))

    def _emit_appearance(self, _: object) -> None:
        self._show_reset()
        self._appearance_changed.emit(Appearance(self.scheme.value(), self.font_choice.value()))


class AboutPage(QWidget):
    """The version, and the libraries that the program uses."""

    def __init__(self, dialog: "SettingsDialog") -> None:
        super().__init__()
        self._version = dialog.options.version
        self._licences = built_with()
        px = theme().px
        description = tr("Workflow automation on your own computer. Apache License 2.0.")
        scroll = FormScroll(SECTION_LABELS["About"])
        inside = scroll.inside.column
        inside.setContentsMargins(px(4), 0, px(14), px(4))
        inside.setSpacing(px(10))
        inside.addWidget(Label(f"Patchbay {self._version}".strip(), "semibold"))
        inside.addWidget(Label(description, "body", "text_secondary", wrap=True))
        inside.addWidget(Label(tr("Built with"), "caption_strong", "text_tertiary"))
        for name, licence in self._licences:
            inside.addLayout(hbox(Label(name), Stretch(), Label(licence, "body", "text_secondary")))
        inside.addStretch(1)
        copy = Button(tr("Copy versions"), icon="copy")
        copy.clicked.connect(lambda: copy_text(self.text()))
        vbox((scroll, 1), hbox(copy, Stretch(), margins=(4, 0, 14, 6)), parent=self, spacing=10)

    def text(self) -> str:
        """All information as lines of text, to copy."""
        lines = [f"Patchbay {self._version}"]
        return "\n".join([*lines, *(f"{name}: {licence}" for name, licence in self._licences)])


def _page_column(page: QWidget) -> QVBoxLayout:
    return vbox(parent=page, spacing=14)


def _build_connections_page(dialog: "SettingsDialog") -> QWidget:
    page = ConnectionsPage(dialog.options.test_every_hours)
    page.chosen.connect(dialog.test_interval_changed)
    return page


def _build_audit_page(dialog: "SettingsDialog", services: Services) -> QWidget:
    page = AuditPage(AuditLogViewModel(services), services.clock())
    page.audit_log_requested.connect(dialog.audit_log_requested)
    return page


SETTINGS_SECTIONS = (
    SettingsSection("General", "sliders-horizontal", build_general_page),
    SettingsSection("Appearance", "palette", AppearancePage),
    SettingsSection("Language and formats", "globe", LanguagePage),
    SettingsSection(
        "Engine",
        "activity",
        scrolls=True,
        closed=tr("Open a workspace to see its engine settings."),
        build_for_workspace=lambda _, services: EnginePage(EngineSettingsViewModel(services), services.clock),
    ),
    SettingsSection("Notifications", "bell", build_notifications_page, scrolls=True),
    SettingsSection("Connections", "blocks", _build_connections_page),
    SettingsSection(
        "Secrets",
        "lock",
        closed=tr("Open a workspace to see where its credentials are stored."),
        build_for_workspace=lambda _, services: SecretsPage(SecretsViewModel(services)),
    ),
    SettingsSection(
        "Server",
        "server",
        scrolls=True,
        closed=tr("Open a workspace to see its addresses."),
        build_for_workspace=lambda _, services: ServicePage(HostingViewModel(services)),
    ),
    SettingsSection(
        "People",
        "users",
        scrolls=True,
        closed=tr("Open a workspace to see its people."),
        build_for_workspace=lambda _, services: PeoplePage(PeopleViewModel(services)),
    ),
    SettingsSection(
        "API keys",
        "key-round",
        scrolls=True,
        closed=tr("Open a workspace to see its API keys."),
        build_for_workspace=lambda _, services: KeysPage(ApiKeysViewModel(services)),
    ),
    SettingsSection(
        "Audit log",
        "list",
        closed=tr("Open a workspace to see its audit log."),
        build_for_workspace=_build_audit_page,
    ),
    SettingsSection("Data", "hard-drive", DataPage, scrolls=True),
    SettingsSection("About", "info", AboutPage, scrolls=True),
)
"""The pages, in the order of the side list."""
