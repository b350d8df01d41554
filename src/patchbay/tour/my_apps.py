"""The pictures of My Apps for the tour. Sign-ins in the browser are posed: no service is asked."""

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from patchbay.desktop.my_apps.connection_dialog import ConnectionDialog
from patchbay.desktop.my_apps.view_models.connection_form import ConnectionFormViewModel, FormState
from patchbay.domain.apps import AppInfo, AuthInfo
from patchbay.domain.base import AppKey
from patchbay.domain.connections import Connection, ConnectionHealth, DeviceCode, SignIn
from patchbay.domain.errors import DifferentAccount
from patchbay.domain.fields import AuthField
from patchbay.tour.scene import Scene

if TYPE_CHECKING:
    from patchbay.desktop.core.services import Services
    from patchbay.desktop.my_apps.tab import MyAppsTab

_TODOIST, _TWILIO = AppKey("todoist"), AppKey("twilio")
_CALLBACK = "http://127.0.0.1:8787/oauth/callback"
_PAGE = "https://todoist.com/oauth/authorize?client_id=5f1c0b7e9d2a4c38&state=…"
_WAIT_MS = 522_000


def my_apps_scenes(tab: "MyAppsTab") -> tuple[Scene, ...]:
    """Every state of the tab and of its dialogs."""
    poser = _Poser(tab)
    dialog = poser.dialog
    return (
        Scene("my-apps", poser.attention, poser.page_ready),
        Scene("my-apps-available", poser.available, poser.shows_available, leave=poser.leave_available),
        Scene("my-apps-grid", poser.grid, poser.page_ready, leave=poser.leave_grid),
        Scene(
            "my-apps-elsewhere",
            poser.show_managed_elsewhere,
            poser.is_managed_elsewhere,
            leave=poser.leave_managed_elsewhere,
        ),
        Scene("my-apps-broken", poser.broken, lambda: True, leave=poser.leave_broken),
        Scene("my-apps-picker", tab.pick_app, lambda: tab.dialog is not None, dialog, poser.close),
        Scene("my-apps-add-connection", poser.add, poser.form_ready, dialog, poser.close),
        Scene("my-apps-refused", poser.rejected, poser.is_rejected, dialog, poser.close),
        Scene("my-apps-browser-form", poser.browser_form, poser.form_ready, dialog, poser.close),
        Scene("my-apps-browser-wait", poser.browser_wait, poser.is_posed, dialog, poser.close),
        Scene("my-apps-device-code", poser.device_code, poser.is_posed, dialog, poser.close),
        Scene("my-apps-other-account", poser.other_account, poser.is_posed, dialog, poser.close),
        Scene("my-apps-limit", poser.limit, lambda: tab.dialog is not None, dialog, poser.close),
        Scene("my-apps-delete", poser.delete, lambda: tab.dialog is not None, dialog, poser.close),
    )


class _PosedForm(ConnectionFormViewModel):
    """A form of an app that is signed in to in the browser, stopped in one of its states."""

    def __init__(self, services: "Services", app: AppInfo, existing: Connection | None = None) -> None:
        super().__init__(services, app.key, existing)
        self._open_posed_form = app

    def load(self) -> None:
        self._on_loaded(self._open_posed_form)
        self.services.tasks.run(self, self.services.backend.info(), done=self._on_info_loaded)

    def pose(self, state: FormState) -> None:
        self.state = state
        self.changed.emit()


class _Poser:
    """Brings the tab into the state of each picture, and back."""

    def __init__(self, tab: "MyAppsTab") -> None:
        self._tab, self._model = tab, tab.model
        self._services = tab.services

    # States of the tab

    def attention(self) -> None:
        if rows := self._model.rows:
            self._model.select(rows[0].app.key)

    def available(self) -> None:
        """Select one of the apps without a connection, so that the list scrolls to them."""
        rows = [row for row in self._model.rows if not row.connections] or list(self._model.rows)
        if rows:
            self._model.select(rows[len(rows) // 2].app.key)

    def shows_available(self) -> bool:
        app = self._tab.page.detail
        return app is not None and app.key == self._model.selected

    def leave_available(self) -> None:
        self.attention()
        self._tab.list.scrollToTop()

    def page_ready(self) -> bool:
        return self._model.loaded and bool(self._tab.page.cards) and bool(self._model.flows)

    def grid(self) -> None:
        self._model.set_grid(True)

    def leave_grid(self) -> None:
        self._model.set_grid(False)

    def broken(self) -> None:
        reason = "NameError: name 'Aut' is not defined (verify_credentials.py, line 12)"
        app = AppInfo(key=AppKey("my-tracker"), name="My tracker", primary_color="#0F766E", broken=reason)
        self._model.pose(app)

    def leave_broken(self) -> None:
        self._model.refresh()
        self.attention()

    def show_managed_elsewhere(self) -> None:
        self._tab.show_missing("This server's API doesn't include connections. Use its web interface.")

    def is_managed_elsewhere(self) -> bool:
        """Once no later response has reset the list."""
        if self._tab.stack.is_showing_rows:
            self.show_managed_elsewhere()
            return False
        return True

    def leave_managed_elsewhere(self) -> None:
        self._model.rows_changed.emit()
        self._model.selection_changed.emit()

    # States of the dialogs

    def dialog(self) -> QWidget:
        return self._tab.dialog or self._tab

    def close(self) -> None:
        if self._tab.dialog is not None:
            self._tab.dialog.done(0)

    def add(self) -> None:
        self.attention()
        self._tab.add(self._model.selected, guide=True)

    def form_ready(self) -> bool:
        dialog = self._tab.dialog
        return isinstance(dialog, ConnectionDialog) and bool(dialog.fields) and not dialog.where.isHidden()

    def rejected(self) -> None:
        """One that is reconnected with a form: the demo accepts every sign-in."""
        if (worrying := self._failing_connection(_TWILIO)) is not None:
            self._tab.reconnect(worrying)

    def is_rejected(self) -> bool:
        form = self.dialog().findChild(ConnectionFormViewModel)
        if form is not None and form.state is FormState.EDITING and self.form_ready():
            form.submit()
        return form is not None and form.error is not None

    def browser_form(self) -> None:
        self._open_posed_form()

    def browser_wait(self) -> None:
        form = self._open_posed_form()
        form.browser.pending_sign_in, form.browser.opened = self._posed_sign_in(None), True
        form.pose(FormState.WAITING)

    def device_code(self) -> None:
        form = self._open_posed_form()
        device = DeviceCode(user_code="WDJB-MJHT", verification_url="https://todoist.com/device")
        form.browser.pending_sign_in = self._posed_sign_in(device)
        form.pose(FormState.WAITING)

    def other_account(self) -> None:
        form = self._open_posed_form(self._failing_connection())
        form.error = DifferentAccount(before="anna@example.org", now="ops@example.org")
        form.pose(FormState.CONFIRMING_ACCOUNT)

    def is_posed(self) -> bool:
        form = self.dialog().findChild(_PosedForm)
        return form is not None and form.where is not None

    def limit(self) -> None:
        if self._model.row is not None and self._model.row.connections:
            self._tab.limit(self._model.row.connections[0])

    def delete(self) -> None:
        if self._model.row is not None and self._model.row.connections:
            self._tab.delete(self._model.row.connections[0])

    def _failing_connection(self, app_key: AppKey = _TODOIST) -> Connection | None:
        every = (item for row in self._model.rows for item in row.connections if row.app.key == app_key)
        return next((item for item in every if item.health is ConnectionHealth.NEEDS_ATTENTION), None)

    def _open_posed_form(self, existing: Connection | None = None) -> _PosedForm:
        app = self._services.apps.get(_TODOIST) or AppInfo(key=_TODOIST, name="Todoist")
        form = _PosedForm(self._services, app.model_copy(update={"auth": _BROWSER}), existing)
        self._tab.open_form(form)
        return form

    def _posed_sign_in(self, device: DeviceCode | None) -> SignIn:
        ends = self._services.clock() + _WAIT_MS
        return SignIn(
            id="posed", app_key=_TODOIST, url=_PAGE, redirect_url=_CALLBACK, expires_at=ends, device=device
        )


_BROWSER = AuthInfo(
    uses_browser=True,
    fields=(
        AuthField(
            key="oAuthRedirectUrl",
            label="OAuth redirect URL",
            required=True,
            read_only=True,
            click_to_copy=True,
            value=_CALLBACK,
            description="Enter this URL in the app's developer console, as the redirect (callback) URL.",
        ),
        AuthField(key="screenName", label="Screen name", required=True, value="Anna’s Todoist"),
        AuthField(key="clientId", label="Client ID", required=True, value="5f1c0b7e9d2a4c38"),
        AuthField(key="clientSecret", label="Client secret", required=True),
    ),
)
