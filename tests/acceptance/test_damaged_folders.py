"""Damaged and hostile files in a data folder, and read-only folders, get words and an exit code."""

import json
import os
import shlex
import sys
from pathlib import Path

import pytest
from tests.support.damaged import DATABASES, VAULTS
from tests.support.forms import in_forms, long_form
from tests.support.processes import Service, program, run

PASSPHRASE = "correct horse battery staple"


def passphrase(folder: Path) -> Path:
    file = folder / "passphrase"
    file.touch(mode=0o600)
    file.write_text(PASSPHRASE)
    return file


@pytest.mark.parametrize("name", in_forms([*DATABASES], short=["cut in the middle", "text"]))
def test_a_damaged_database_gets_words_in_every_command(tmp_path, name):
    data = tmp_path / "data"
    data.mkdir()
    (data / "patchbay.db").write_bytes(DATABASES[name]())
    words = {
        "list": ["flow", "list"],
        "doctor": ["doctor"],
        "serve": ["serve", "--port", "0"],
        "backup": ["--passphrase-file", passphrase(tmp_path), "backup", tmp_path / "out"],
    }

    said = {key: run(program(*each, data=data)) for key, each in words.items()}

    for done in said.values():
        assert "Traceback" not in done.out + done.err
        assert done.code == 1
    assert "damaged" in said["list"].err or "isn't a database" in said["list"].err


@long_form
@pytest.mark.parametrize(
    "name", in_forms(["not JSON", "memory of 4 TB", "an empty nonce"], short=["memory of 4 TB"])
)
def test_a_damaged_vault_gets_words_and_is_left_as_it_is(tmp_path, name):
    data = tmp_path / "data"
    data.mkdir()
    words = ("--passphrase-file", passphrase(tmp_path))
    content = VAULTS[name]
    (data / "vault.json").write_bytes(content)

    with Service(data, *map(str, words)) as service:
        doctor = service.command("doctor", "--json")
        listed = service.command("flow", "list", "--json")
        service.process.stop(quiet=False)
    alone = run(program(*words, "backup", tmp_path / "out", data=data))

    assert (listed.code, listed.json) == (0, [])
    assert "Traceback" not in doctor.err + doctor.out + alone.err
    assert (data / "vault.json").read_bytes() == content


@long_form
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no named pipes in folders")
@pytest.mark.parametrize(
    "name",
    in_forms(
        ["patchbay.db", "settings.toml", "vault.json", "service.json", "window.json", "restore.json"],
        short=["patchbay.db", "settings.toml"],
    ),
)
def test_a_pipe_in_place_of_a_file_gets_words_instead_of_a_wait(tmp_path, name):
    data = tmp_path / "data"
    data.mkdir()
    os.mkfifo(data / name)

    for words in (["flow", "list"], ["doctor"], ["serve", "--port", "0"]):
        done = run(program(*words, data=data))

        assert done.code == 1
        assert f"{name} isn't a regular file" in done.err
        assert "Traceback" not in done.err


@long_form
def test_an_emptied_database_is_not_taken_for_a_new_workspace(tmp_path):
    data = tmp_path / "data"
    (data / "apps" / "mine").mkdir(parents=True)
    (data / "vault.json").write_bytes(VAULTS["no fields"])
    (data / "patchbay.db").touch()

    refused = [run(program(*words, data=data)) for words in (["flow", "list"], ["serve", "--port", "0"])]
    left = (data / "patchbay.db").stat().st_size
    (data / "patchbay.db").unlink()
    new = run(program("flow", "list", data=data))

    for done in refused:
        assert done.code == 1
        assert "patchbay.db is empty (0 bytes)" in done.err
        assert "apps, vault.json" in done.err
        assert "patchbay restore" in done.err
    assert (left, new.code) == (0, 0)


@long_form
@pytest.mark.parametrize(
    "names",
    in_forms(
        [
            ("..", "a"),
            ("", "a"),
            (".backup-/../..", "a"),
            (".backup-a", "/../../b"),
            (".backup-link", ".before-restore-1"),
        ],
        short=[(".backup-/../..", "a"), (".backup-link", ".before-restore-1")],
    ),
)
def test_a_hostile_note_of_a_restore_removes_nothing(tmp_path, names):
    data, other = tmp_path / "share" / "data", tmp_path / "share" / "other.txt"
    data.mkdir(parents=True)
    other.write_text("kept")
    (data / ".backup-link").symlink_to(tmp_path / "share")
    (data / "restore.json").write_text(json.dumps({"stage": names[0], "aside": names[1]}))

    for words in (["doctor"], ["flow", "list"]):
        done = run(program(*words, data=data))

        assert done.code == 1
        assert "restore.json is damaged" in done.out + done.err
    assert other.read_text() == "kept"
    assert (data / "restore.json").exists()


@long_form
def test_a_folder_whose_parts_cannot_be_written_gets_words(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "logs").write_text("in the way")

    for words in (["flow", "list"], ["serve", "--port", "0"], ["doctor"]):
        done = run(program(*words, data=tmp_path / "data"))

        assert done.code == 1
        assert "--data-dir" in done.err
        assert "Traceback" not in done.err


def test_a_read_only_file_system_gets_words(tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    mount = f"mount -t tmpfs none {data} && mkdir {data}/logs && mount -o remount,ro {data}"
    if run(["unshare", "-rm", "sh", "-c", mount]).code:
        pytest.skip("mount namespaces are missing here")

    for words in (["flow", "list"], ["serve", "--port", "0"], ["doctor"]):
        command = shlex.join(program(*words, data=data))
        done = run(["unshare", "-rm", "sh", "-c", f"{mount} && {command}"])

        assert "Traceback" not in done.err + done.out
        if words != ["doctor"]:
            assert done.code == 1
            assert "is read-only" in done.err
