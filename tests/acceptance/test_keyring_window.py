"""The window in each state of the keyring: it paints, says what it waits for, and closes on request."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.forms import in_forms, long_form
from tests.support.keyring_scenes import play
from tests.support.keyring_session import needs_gnome_keyring
from tests.support.keyring_states import Session, environment_of, session

pytestmark = [
    needs_gnome_keyring,
    pytest.mark.skipif(sys.platform != "linux", reason="the Secret Service is a thing of Linux"),
]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Session]:
    with session(tmp_path / "home") as made:
        yield made


@long_form
def test_while_the_keyring_hangs_the_window_paints_says_so_and_closes(tmp_path, opened, party):
    opened.freeze()

    seen = play("hangs", tmp_path / "data", party, opened.env, opened)

    assert seen["paints"] == [True, True]
    assert seen["typed"]
    assert "ask for its password" in seen["waits"]
    assert "Nothing was changed" in seen["stopped"]
    assert len(opened.items()) == 1


@long_form
def test_with_a_locked_keyring_the_form_says_so_and_works_after_unlocking(tmp_path, opened, party):
    opened.lock()

    seen = play("locked", tmp_path / "data", party, opened.env, opened)

    assert seen["paints"] == [True]
    assert len(opened.items()) == 1


NULL = "keyring.backends.null.Keyring"


@long_form
@pytest.mark.parametrize("backend", in_forms(["", "keyring.backends.fail.Keyring", NULL], short=[NULL]))
def test_without_a_keyring_the_form_and_the_settings_name_the_way_out(tmp_path, party, backend):
    seen = play("none", tmp_path / "data", party, environment_of(tmp_path / "home", backend))

    assert seen["paints"] == [True]
    assert seen["way out"]
