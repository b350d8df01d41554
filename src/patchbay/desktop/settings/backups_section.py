"""Settings → Data: the schedule of backups, how the last one went, and restoring one."""

from collections.abc import Callable
from dataclasses import replace
from datetime import time
from pathlib import Path

from PySide6.QtCore import QLocale, Qt, QTime
from PySide6.QtWidgets import QFileDialog, QWidget

from patchbay.desktop.core.language import formats, number_text, tr, tr_count
from patchbay.desktop.core.times import full_moment
from patchbay.desktop.kit.boxes import Stretch, hbox, vbox
from patchbay.desktop.kit.buttons import Button, set_available
from patchbay.desktop.kit.dialogs import Dialog
from patchbay.desktop.kit.inputs import ComboBox, FormField
from patchbay.desktop.kit.line_edit import LineEdit
from patchbay.desktop.kit.messages import MessageBox
from patchbay.desktop.kit.secret_fields import SecretField
from patchbay.desktop.kit.text import Label
from patchbay.desktop.settings.reset_bar import ResetBar
from patchbay.desktop.settings.restore_dialog import RestoreDialog
from patchbay.desktop.settings.view_models.backups import BackupsViewModel
from patchbay.domain.backups import BackupInterval, BackupOverview, BackupSchedule

MIN_PASSPHRASE_LENGTH = 8
EVERY, WEEKDAY, AT, KEEP = (
    tr("Back up automatically"),
    tr("Backup day"),
    tr("Backup time"),
    tr("Backups to keep"),
)
FOLDER = tr("Backup folder")
_EVERY_OPTIONS = (
    (BackupInterval.NEVER, tr("Never", "how often")),
    (BackupInterval.DAILY, tr("Every day")),
    (BackupInterval.WEEKLY, tr("Every week")),
)
_EVERY_HELP = tr("Backups run wherever the engine runs, even without a window. A missed backup runs later.")
_KEEP_OPTIONS = (3, 7, 14, 30, 90)
_KEEP_HELP = tr("Older backups made by Patchbay are deleted after each new one.")
_FOLDER_HELP = tr("Choose a folder on another disk, in case this one fails.")
_HALF_HOURS = tuple(time(half // 2, half % 2 * 30) for half in range(48))


class BackupsSection(QWidget):
    """Each change takes effect at once. `restore` gets a file and its passphrase."""

    def __init__(
        self,
        model: BackupsViewModel,
        restore: Callable[[Path, str], object],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._model, self._restore = model, restore
        self.dialog: Dialog | None = None
        self.chooser: QFileDialog | None = None
        self.problem = MessageBox("failure")
        self.state = Label("", "body", "text_secondary", wrap=True)
        self.every, self.weekday = ComboBox(EVERY, large=True), ComboBox(WEEKDAY, large=True)
        self.at, self.keep = ComboBox(AT, large=True), ComboBox(KEEP, large=True)
        self.folder = LineEdit(large=True)
        self.folder.setReadOnly(True)
        self.choose = Button(tr("Choose folder…"), icon="folder-open")
        self.passphrase = Button(tr("Set passphrase…"), icon="key-round")
        self.back_up = Button(tr("Back up now"), icon="download")
        self.restore_button = Button(tr("Restore a backup…"), icon="undo-2")
        self.reset = ResetBar(model.reset)
        self._fill()
        self._lay_out()
        self._connect()
        self._show()
        model.load()

    def _fill(self) -> None:
        self.every.set_options(_EVERY_OPTIONS)
        self.weekday.set_options([(day, formats().dayName(day + 1)) for day in range(7)])
        self.at.set_options([(at, _clock_text(at)) for at in _HALF_HOURS])
        self.keep.set_options(
            [(number, tr("The last {n}", n=number_text(number))) for number in _KEEP_OPTIONS]
        )

    def _lay_out(self) -> None:
        self._weekday_field = FormField(WEEKDAY, self.weekday)
        self._details = QWidget()
        vbox(
            hbox((self._weekday_field, 1), (FormField(AT, self.at), 1), spacing=16),
            FormField(KEEP, self.keep, help=_KEEP_HELP),
            parent=self._details,
            spacing=12,
        )
        folder = FormField(FOLDER, self.folder, help=_FOLDER_HELP)
        vbox(
            self.problem,
            self.state,
            hbox(self.back_up, self.restore_button, Stretch(), spacing=8),
            FormField(EVERY, self.every, help=_EVERY_HELP),
            self._details,
            folder,
            hbox(self.choose, self.passphrase, Stretch(), spacing=8),
            self.reset,
            parent=self,
            spacing=12,
        )

    def _connect(self) -> None:
        model = self._model
        self.every.value_changed.connect(model.set_every)
        self.weekday.value_changed.connect(lambda day: model.change(replace(model.schedule, weekday=day)))
        self.at.value_changed.connect(lambda at: model.change(replace(model.schedule, at=at)))
        self.keep.value_changed.connect(lambda keep: model.change(replace(model.schedule, keep=keep)))
        self.choose.clicked.connect(self.choose_folder)
        self.passphrase.clicked.connect(self.ask_for_passphrase)
        self.back_up.clicked.connect(model.back_up_now)
        self.restore_button.clicked.connect(self.open_restore)
        model.changed.connect(self._show)

    def choose_folder(self) -> None:
        """Let the person choose where backups are stored."""
        start = str(self._model.schedule.folder or Path.home())
        self.chooser = QFileDialog(self, FOLDER, start)
        self.chooser.setFileMode(QFileDialog.FileMode.Directory)
        self.chooser.setOption(QFileDialog.Option.ShowDirsOnly)
        self.chooser.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.chooser.fileSelected.connect(
            lambda path: self._model.change(replace(self._model.schedule, folder=Path(path)))
        )
        self.chooser.open()

    def ask_for_passphrase(self) -> None:
        """Ask for the passphrase of further backups, twice."""
        self._open(PassphraseDialog(self, self._model.set_passphrase))

    def open_restore(self) -> None:
        """Ask for a backup, check it, and replace the workspace with it."""
        self._open(RestoreDialog(self, self._model.inspect, self._restore, self._model.schedule.folder))

    def _open(self, dialog: Dialog) -> None:
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.finished.connect(self._on_dialog_closed)
        self.dialog = dialog
        dialog.open()

    def _on_dialog_closed(self) -> None:
        self.dialog = None

    def _show(self) -> None:
        model, schedule = self._model, self._model.schedule
        is_loaded = model.overview is not None
        for box in (self.every, self.weekday, self.at, self.keep, self.choose, self.passphrase):
            box.setEnabled(is_loaded)
        self.at.ensure_option(schedule.at, _clock_text(schedule.at))
        self.keep.ensure_option(schedule.keep, tr("The last {n}", n=number_text(schedule.keep)))
        for box, value in (
            (self.every, schedule.every),
            (self.weekday, schedule.weekday),
            (self.at, schedule.at),
            (self.keep, schedule.keep),
        ):
            _show_value(box, value)
        self._details.setVisible(schedule.every is not BackupInterval.NEVER)
        self._weekday_field.setVisible(schedule.every is BackupInterval.WEEKLY)
        self.folder.setText(str(schedule.folder or ""))
        self.folder.setPlaceholderText(tr("None chosen yet"))
        has_passphrase = model.overview is not None and model.overview.has_passphrase
        self.passphrase.setText(tr("Change passphrase…") if has_passphrase else tr("Set passphrase…"))
        in_file = schedule.passphrase_file is not None
        set_available(
            self.passphrase, tr("It is in {file}.", file=schedule.passphrase_file) if in_file else None
        )
        set_available(self.back_up, model.backup_unavailable_reason)
        if self.back_up.busy is not model.busy:
            self.back_up.set_busy(model.busy, tr("Backing up"))
        self.reset.show_changed(schedule != BackupSchedule())
        self._show_state(model.overview)

    def _show_state(self, overview: BackupOverview | None) -> None:
        status = overview.status if overview is not None else None
        self.state.setText(state_text(overview))
        if self._model.error is not None:
            self.problem.show_error(self._model.error, [], takes_focus=False)
        elif status is not None and status.problem and status.problem_at is not None:
            title = tr("The backup from {time} failed", time=full_moment(status.problem_at))
            self.problem.set("failure", title, status.problem)
        elif overview is not None and _lacks_passphrase(overview):
            text = overview.passphrase_problem or tr(
                "Backups are encrypted with it. Set one to make backups."
            )
            self.problem.set("warning", tr("No passphrase is set"), text)
        else:
            self.problem.hide()
            return
        self.problem.show()


class PassphraseDialog(Dialog):
    """Asks for a passphrase twice, so that a typo doesn't make backups unreadable."""

    def __init__(self, parent: QWidget, done: Callable[[str], object]) -> None:
        super().__init__(parent, tr("Backup passphrase"), 480)
        text = tr(
            "New backups are encrypted with this passphrase. Keep a copy of it elsewhere: a backup can't be "
            "opened without it. Older backups keep their old passphrase."
        )
        self._done = done
        self.secret, self.repeated_secret = SecretField(large=True), SecretField(large=True)
        length = tr("At least {n} characters.", n=MIN_PASSPHRASE_LENGTH)
        self.first = FormField(tr("Passphrase"), self.secret, required=True, help=length)
        self.repeated = FormField(tr("Repeat passphrase"), self.repeated_secret, required=True)
        self.body.addWidget(Label(text, "body", "text_secondary", wrap=True))
        self.body.addWidget(self.first)
        self.body.addWidget(self.repeated)
        self.setAccessibleDescription(text)
        self.submit, _ = self.add_buttons(tr("Set passphrase"), self._submit)
        self.secret.changed.connect(lambda _: self.first.set_error(None))
        self.repeated_secret.changed.connect(lambda _: self.repeated.set_error(None))
        self.secret.setFocus()

    def _submit(self) -> None:
        passphrase = self.secret.text()
        is_short = len(passphrase) < MIN_PASSPHRASE_LENGTH
        self.first.set_error(tr("The passphrase is too short.") if is_short else None)
        is_different = passphrase != self.repeated_secret.text()
        self.repeated.set_error(tr("The passphrases don't match.") if is_different else None)
        if is_short or is_different:
            (self.secret if is_short else self.repeated_secret).setFocus()
            return
        self.accept()
        self._done(passphrase)


def state_text(overview: BackupOverview | None) -> str:
    """When the last backup was made, and how many there are."""
    if overview is None:
        return tr("Loading backups…")
    status = overview.status
    if status.made_at is None:
        return tr("No backup has been made on a schedule yet.")
    size = formats().formattedDataSize(status.size, 1, QLocale.DataSizeFormat.DataSizeSIFormat)
    last = tr("Last backup: {time}, {size}.", time=full_moment(status.made_at), size=size)
    return f"{last} {tr_count(len(status.files), '{n} backup in total.', '{n} backups in total.')}"


def _lacks_passphrase(overview: BackupOverview) -> bool:
    return overview.schedule.every is not BackupInterval.NEVER and not overview.has_passphrase


def _show_value(box: ComboBox, value: object) -> None:
    """Show a value without announcing it as a choice."""
    box.blockSignals(True)
    if box.value() != value:
        box.set_value(value)
    box.blockSignals(False)
    box.update()


def _clock_text(at: time) -> str:
    return formats().toString(QTime(at.hour, at.minute), QLocale.FormatType.ShortFormat)
