"""The pane of a template: its steps, required connections, and open fields."""

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QWidget

from patchbay.desktop.core.language import tr
from patchbay.desktop.kit.accessibility import AccessibleText
from patchbay.desktop.kit.boxes import Stretch, hbox, vbox
from patchbay.desktop.kit.buttons import Button, IconButton
from patchbay.desktop.kit.icons import paint_app, paint_app_tile
from patchbay.desktop.kit.layout import Card, line, surface
from patchbay.desktop.kit.marks import mark_of, paint_state_mark
from patchbay.desktop.kit.menu import Menu
from patchbay.desktop.kit.row_text import paint_text
from patchbay.desktop.kit.text import Label, plain_tip
from patchbay.desktop.kit.theme import theme
from patchbay.desktop.templates.use_dialog import UseTemplateDialog
from patchbay.desktop.templates.view_models.templates import Account, StepLine, TemplatesViewModel


class TemplateStepsPreview(AccessibleText, QWidget):
    """A vertical list of steps: icons joined by a line, with names and descriptions."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lines: tuple[StepLine, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_lines(self, lines: tuple[StepLine, ...]) -> None:
        """Show the steps of a template."""
        self._lines = lines
        step_texts = (f"{index}. {step.title}: {step.text}" for index, step in enumerate(lines, 1))
        self.setAccessibleName(". ".join((tr("Steps"), *step_texts)))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme().px(300), theme().px(50) * len(self._lines))

    def paintEvent(self, event: QPaintEvent) -> None:
        px = theme().px
        painter = QPainter(self)
        for index, step in enumerate(self._lines):
            top = index * px(50)
            tile = QRectF(0, top, px(30), px(30))
            if index + 1 < len(self._lines):
                connector = QRectF(px(14), top + px(30), px(2), px(20))
                painter.fillRect(connector, theme().tokens.border_button)
            paint_app_tile(painter, tile, step.app)
            text_rect = QRectF(px(42), top - px(2), self.width() - px(42), px(18))
            paint_text(painter, text_rect, f"{index + 1}. {step.title}", "semibold")
            below = text_rect.translated(0, px(17))
            paint_text(painter, below, step.text, "caption", "text_secondary")


class AccountRow(AccessibleText, QWidget):
    """An app with the connection that would be used, or a link to add one."""

    def __init__(self, account: Account, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._account = account
        px = theme().px
        self.setFixedHeight(px(40))
        self.link = Button(tr("Connect…"), "link", small=True)
        self.link.setAccessibleName(tr("Connect {app}", app=account.name))
        hbox(Stretch(), self.link, parent=self, margins=(0, 0, 10, 0))
        found = account.connection
        self.link.setVisible(found is None)
        account_text = f"{found.screen_name}, {mark_of(found.health).word}" if found else tr("not connected")
        self.setAccessibleName(f"{account.name}: {account_text}")

    def paintEvent(self, event: QPaintEvent) -> None:
        px, found = theme().px, self._account.connection
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_app(painter, QRectF(px(12), 0, px(16), self.height()), self._account.app)
        area = QRectF(px(38), 0, self.width() - px(38 + 12), self.height())
        used = paint_text(painter, area, self._account.name)
        if found is not None:
            mark = QRectF(area.right() - px(16), 0, px(16), self.height())
            paint_state_mark(painter, mark, found.health)
            name = area.adjusted(used + px(12), 0, -px(24), 0)
            right = Qt.AlignmentFlag.AlignRight
            paint_text(painter, name, found.screen_name, "caption", "text_secondary", right)


class TemplatePane(QWidget):
    """The pane of the selected template, with the Use template button."""

    delete_requested = Signal()

    def __init__(self, screen: TemplatesViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._screen = screen
        surface(self, "surface")
        self.name = Label("", "title", wrap=True)
        self.description = Label("", "body", "text_secondary", wrap=True)
        self.origin = Label("", "caption", "text_tertiary")
        self.more = IconButton("ellipsis", tr("More actions"))
        self.steps = TemplateStepsPreview()
        self.accounts = Card(padding=0)
        self.accounts.body.setSpacing(0)
        self.accounts_section, self.questions_section, self.needs_section = QWidget(), QWidget(), QWidget()
        self.needs = Label("", "body", wrap=True)
        self.required_inputs = Label("", "body", wrap=True)
        self.use = Button(tr("Use template"), "primary", large=True)
        self._lay_out()
        self.more.clicked.connect(
            lambda: self.menu().popup(self.more.mapToGlobal(self.more.rect().bottomLeft()))
        )
        self.use.clicked.connect(self.use_template)
        screen.busy_changed.connect(lambda busy: self.use.set_busy(busy, tr("Creating")))
        screen.selection_changed.connect(self._show)
        screen.cards_changed.connect(self._show)

    def sizeHint(self) -> QSize:
        return QSize(theme().px(400), theme().px(400))

    def use_template(self) -> None:
        """Create a flow, after a dialog if the template asks for values."""
        card = self._screen.card
        if card is None or not self.use.isEnabled() or self.use.busy:
            return
        if not card.template.inputs:
            self._screen.use(card.id)
            return
        dialog = UseTemplateDialog(self._screen, card.template, self.window())
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def menu(self) -> Menu:
        """The menu with the actions for the template."""
        card = self._screen.card
        title = tr("Actions for {name}", name=card.template.name) if card is not None else tr("Actions")
        menu = Menu(self, title)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        is_saved = card is not None and card.saved
        reason = self._screen.unavailable_reason or (None if is_saved else tr("built-in template"))
        menu.add(tr("Delete"), self.delete_requested.emit, reason=reason)
        return menu

    def _lay_out(self) -> None:
        content = QWidget()
        surface(content, "surface")
        head = hbox((self.name, 1), (self.more, 0, Qt.AlignmentFlag.AlignTop))
        top = vbox(head, self.description, self.origin, margins=(20, 14, 20, 12), spacing=4)
        steps_title = Label(tr("Steps"), "caption_strong", "text_secondary")
        steps = vbox(steps_title, 6, self.steps, margins=(20, 12, 20, 0), spacing=4)
        self.others = Label(
            tr("You choose the connections in the flow's steps."), "caption", "text_secondary"
        )
        _fill_section(
            self.accounts_section,
            Label(tr("Required connections"), "caption_strong", "text_secondary"),
            4,
            self.accounts,
            4,
            self.others,
        )
        _fill_section(
            self.questions_section,
            Label(tr("You'll be asked for"), "caption_strong", "text_secondary"),
            self.required_inputs,
        )
        _fill_section(
            self.needs_section, Label(tr("What you need"), "caption_strong", "text_secondary"), self.needs
        )
        vbox(
            top,
            line(),
            steps,
            self.needs_section,
            self.accounts_section,
            self.questions_section,
            Stretch(),
            parent=content,
            spacing=0,
        )
        scroll = QScrollArea()
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(content)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._content = content
        vbox((scroll, 1), line(), self._build_foot(), parent=self, spacing=0)

    def _build_foot(self) -> QWidget:
        foot = QWidget()
        surface(foot, "sidebar")
        text_rect = tr("Creates a draft. Nothing runs until you publish.")
        hbox(
            (Label(text_rect, "caption", "text_secondary", wrap=True), 1),
            self.use,
            parent=foot,
            margins=(20, 13, 20, 13),
            spacing=16,
        )
        return foot

    def _show(self) -> None:
        card = self._screen.card
        self.setEnabled(card is not None)
        if card is None:
            return
        self.name.setText(card.template.name)
        self.description.setText(card.template.description)
        self.description.setVisible(bool(card.template.description))
        self.needs.setText(card.template.needs)
        self.needs_section.setVisible(bool(card.template.needs))
        built_in = tr("Built-in · {category}", category=card.category_label)
        self.origin.setText(tr("Saved by you") if card.saved else built_in)
        self.steps.set_lines(self._screen.lines(card))
        self._show_accounts(self._screen.accounts(card))
        required_inputs = self._screen.required_inputs(card)
        self.required_inputs.setText("\n".join(required_inputs))
        self.questions_section.setVisible(bool(required_inputs))
        unavailable_reason = (
            tr("This version of Patchbay can't read this template.")
            if card.broken
            else self._screen.unavailable_reason
        )
        self.use.setEnabled(unavailable_reason is None)
        self.use.setToolTip(plain_tip(unavailable_reason or ""))

    def _show_accounts(self, accounts: tuple[Account, ...]) -> None:
        body = self.accounts.body
        while item := body.takeAt(0):
            if widget := item.widget():
                widget.hide()
                widget.deleteLater()
        for index, account in enumerate(accounts):
            if index:
                body.addWidget(line())
            row = AccountRow(account)
            if self._screen.connections_unavailable_reason:
                row.link.hide()
            row.link.clicked.connect(lambda _=False, one=account: self._screen.open_account(one))
            body.addWidget(row)
        self.others.setVisible(self._screen.connections_unavailable_reason is None)
        self.accounts_section.setVisible(bool(accounts))


def _fill_section(section: QWidget, *items: QWidget | int) -> None:
    """Lay out a section of the pane below a line."""
    vbox(line(), 8, *items, parent=section, margins=(20, 12, 20, 12), spacing=4)
