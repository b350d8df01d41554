"""The window with servers: certificates, cached data while offline, and removal."""

import pytest
from tests.support.certificates import write_self_signed
from tests.support.forms import long_form
from tests.support.tiny_service import Elsewhere, TinyService
from tests.support.window import open_window

from patchbay.bootstrap import window_controller
from patchbay.desktop.core.notices import Notices
from patchbay.service.key_stores import MemoryKeyStore, secrets_unavailable

KEY = "very-secret-key"


@pytest.fixture
def elsewhere():
    with Elsewhere() as loop:
        yield loop


@pytest.fixture
def keys(monkeypatch):
    home = MemoryKeyStore()
    monkeypatch.setattr(window_controller, "SystemKeyring", lambda: home)
    return home


def _answers(method, target):
    if "/v1/info" in target:
        return 404, None
    return 200, {"data": [], "meta": {"count": 0}}


@pytest.fixture
def service(elsewhere):
    running = TinyService(answers=_answers)
    elsewhere.start(running)
    return running


def _connected(window):
    """Enter the key that is asked for."""
    dialog = window.wait(lambda: window.desk.window.server_dialog)
    window.type(dialog.key.edit, KEY)
    dialog.submit()
    window.wait(lambda: window.desk.window.server_dialog is None)
    return window.wait(lambda: window.services.backend._opened)


@long_form
def test_an_untrusted_certificate_is_shown_with_its_fingerprint(qtbot, tmp_path, elsewhere, keys):
    write_self_signed(tmp_path, "flows.example.org")
    service = TinyService(tmp_path, "flows.example.org", _answers)
    elsewhere.start(service)

    with open_window(qtbot, tmp_path / "data", service.address) as window:
        dialog = window.wait(lambda: window.desk.window.server_dialog)
        window.type(dialog.key.edit, KEY)
        dialog.submit()
        window.wait(lambda: dialog.certificate.fingerprint.text())

    assert service.heads == []


@long_form
def test_a_silent_service_opens_on_what_was_seen_last(qtbot, tmp_path, service, keys, elsewhere):
    with open_window(qtbot, tmp_path / "data", service.address) as window:
        _connected(window)
    elsewhere.stop(service)

    with open_window(qtbot, tmp_path / "data", service.address) as window:
        opened = window.wait(lambda: window.services.backend._opened)

        connectivity = opened.backend._adapter.service.connectivity
        window.wait(lambda: connectivity.offline_since)
        assert window.desk.window.server_dialog is None


@long_form
def test_a_forgotten_service_leaves_nothing_behind(qtbot, tmp_path, service, keys):
    with open_window(qtbot, tmp_path / "data", service.address) as window:
        _connected(window)
        folder = tmp_path / "data" / "cache" / "services"
        assert list(folder.iterdir()) != []

        window.desk.window.server_forgotten.emit(service.address)

        window.wait(lambda: not list(folder.iterdir()))
        window.wait(lambda: service.address not in (tmp_path / "data" / "settings.toml").read_text())
        assert window.desk.window.area is None
        assert keys._values == {}


@long_form
def test_a_key_that_the_keyring_did_not_take_leads_to_where_it_is_entered_again(
    qtbot, tmp_path, service, keys, monkeypatch
):
    async def locked(name, value):
        raise secrets_unavailable("locked")

    posted = []
    monkeypatch.setattr(keys, "set", locked)
    monkeypatch.setattr(Notices, "post", lambda self, text, **ways: posted.append((text, ways)))

    with open_window(qtbot, tmp_path / "data", service.address) as window:
        _connected(window)
        text, ways = window.wait(lambda: posted and posted[0])
        ways["show"]()
        assert window.wait(lambda: window.desk.window.server_dialog).isVisible()

    assert text == (
        "The API key works until Patchbay closes, but it couldn't be saved. The credentials are locked. "
        "Once the keyring works, enter the key again under Server settings."
    )
