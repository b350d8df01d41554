"""Files of steps under attack: by users who change folders meanwhile, full disks, and stuck drives."""

import errno
import os
import sys
import threading
from functools import partial
from pathlib import Path
from typing import cast

import pytest

from patchbay.domain.errors import AppError, Conflict, Forbidden, TimedOut
from patchbay.integration.local_files import (
    FileAccess,
    FileEntry,
    LocalFiles,
    NamePattern,
    WriteMode,
    find_disk_problem,
    find_folder_problem,
    walk,
)
from patchbay.integration.local_files import files as files_module
from patchbay.integration.local_files.folders import CheckedFolder, DescriptorFolder, OpenFolder
from patchbay.integration.local_files.paths import AllowedPath, parse_path

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links and pipes of POSIX")
ANY = NamePattern("")
PLENTY = 1 << 40


@pytest.fixture(params=[DescriptorFolder, CheckedFolder])
def kind(request):
    """Both ways to open folders: by descriptors, and by checked paths as on Windows."""
    return request.param


@pytest.fixture
def shared(tmp_path) -> Path:
    folder = tmp_path / "shared"
    folder.mkdir()
    (tmp_path / "secret.txt").write_text("secret")
    return folder


@pytest.fixture
def local(shared, kind) -> LocalFiles:
    return LocalFiles(lambda: (str(shared),), (), kind.open_top)


class Altered:
    """An open folder, some of whose functions are replaced."""

    def __init__(self, folder: OpenFolder, **functions) -> None:
        self._folder, self._functions = folder, functions
        vars(self).update(functions)

    def __getattr__(self, name):
        return getattr(self._folder, name)

    def enter(self, name):
        return Altered(self._folder.enter(name), **self._functions)


def altered(shared: Path, kind, **functions) -> LocalFiles:
    def open_top(top: str) -> OpenFolder:
        return cast(OpenFolder, Altered(kind.open_top(top), **functions))

    return LocalFiles(lambda: (str(shared),), (), open_top)


def below(shared: Path, *parts: str) -> AllowedPath:
    return AllowedPath(str(shared), parts)


def fail(number: int, *_: object) -> None:
    raise OSError(number, os.strerror(number))


def fail_for(name: str, function):
    """The function, which is denied for one name."""

    def call(folder, entry, *more):
        if entry == name:
            fail(errno.EACCES)
        return function(folder, entry, *more)

    return call


# The allowed folder itself


def test_an_allowed_folder_that_becomes_a_link_leads_nowhere(shared, kind):
    """Who can write in an allowed folder can replace another one inside it."""
    inside = shared / "inside"
    local = LocalFiles(lambda: (str(shared), str(inside)), (), kind.open_top)
    inside.symlink_to(shared.parent)

    path = parse_path(str(inside / "secret.txt"), local.allowed_folders(), field="path")
    for attempt in (
        lambda: local.read(path, 100),
        lambda: local.write(path, b"x", WriteMode.REPLACE),
        lambda: local.listing(path.folder, ANY, subfolders=False, folders=False),
    ):
        with pytest.raises(Forbidden, match="symbolic link"):
            attempt()

    assert (shared.parent / "secret.txt").read_text() == "secret"


def test_a_folder_above_an_allowed_one_that_becomes_a_link_leads_nowhere(tmp_path, kind):
    (tmp_path / "real" / "shared").mkdir(parents=True)
    (tmp_path / "real" / "shared" / "a.txt").write_text("secret")
    (tmp_path / "link").symlink_to("real")
    local = LocalFiles(lambda: (f"{tmp_path}/link/shared",), (), kind.open_top)

    with pytest.raises(Forbidden, match="symbolic link"):
        local.read(AllowedPath(f"{tmp_path}/link/shared", ("a.txt",)), 100)

    assert f"Allow “{tmp_path}/real/shared” instead" in find_disk_problem(f"{tmp_path}/link/shared")
    assert find_disk_problem(f"{tmp_path}/real/shared") == ""
    assert "Create it first" in find_disk_problem(f"{tmp_path}/real/sharde")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root can list every folder")
def test_a_folder_above_that_cannot_be_listed_is_passed(tmp_path, local):
    tmp_path.chmod(0o100)
    try:
        found = local.listing(below(tmp_path, "shared"), ANY, subfolders=False, folders=False)
    finally:
        tmp_path.chmod(0o700)

    assert found.entries == ()


@pytest.mark.parametrize(
    "folder",
    [
        *("/etc", "/etc/cron.d", "/usr", "/usr/local/bin", "/bin", "/boot", "/var", "/var/spool/cron"),
        *("/run", "/home", "/home/Ada", "/root", "/root/.ssh", "/home/Ada/.config", "/tmp", "/ETC"),
        *("/System/Library", "/Users/Ada", "/private/etc"),
    ],
)
def test_folders_of_the_system_and_home_folders_cannot_be_allowed(folder):
    assert find_folder_problem(folder, windows=False)


@pytest.mark.parametrize(
    "folder",
    [
        *("C:\\Windows", "C:\\WINDOWS\\Temp", "C:\\Users", "C:\\Users\\Ada", "C:\\Program Files\\a"),
        *("C:\\ProgramData", "C:\\Users\\Ada\\AppData\\Roaming\\x", "\\\\host\\C$\\Files"),
        *("\\\\host\\admin$\\a", "C:\\$Recycle.Bin\\a"),
    ],
)
def test_folders_of_windows_cannot_be_allowed(folder):
    assert find_folder_problem(folder, windows=True)


def test_it_says_why_a_folder_cannot_be_allowed():
    words = {
        "/tmp": "many programs",
        "/home/Ada": "home folder",
        "/home/Ada/.ssh": "hidden",
        "/etc": "system",
    }

    for folder, reason in words.items():
        assert reason in find_folder_problem(folder, windows=False)


@pytest.mark.parametrize(
    "folder",
    ["/srv/files", "/home/Ada/Inbox", "/mnt/drive", "/var/lib/files", "/run/media/ada/stick", "/etcetera"],
)
def test_other_folders_can_be_allowed(folder):
    assert find_folder_problem(folder, windows=False) == ""


# Descriptors, and files that are left behind


@pytest.mark.parametrize("action", ["write", "copy"])
def test_a_descriptor_is_closed_once_even_if_the_file_cannot_get_its_name(shared, kind, action):
    """Another thread could have got the same number meanwhile, and would lose its file."""
    others: list[int] = []

    def take_the_number_and_fail(*_: object) -> None:
        others.append(os.open(shared.parent / "secret.txt", os.O_RDONLY))
        fail(errno.EACCES)

    local = altered(shared, kind, replace=take_the_number_and_fail)
    (shared / "a").write_text("a")
    attempts = {
        "write": lambda: local.write(below(shared, "b"), b"x", WriteMode.REPLACE),
        "copy": lambda: local.copy(below(shared, "a"), below(shared, "b"), replace=True),
    }
    with pytest.raises(Forbidden):
        attempts[action]()

    assert os.path.samestat(os.fstat(others[0]), os.stat(shared.parent / "secret.txt"))
    os.close(others[0])
    assert os.listdir(shared) == ["a"]


def test_a_move_that_fails_leaves_one_name(shared, local, kind, monkeypatch):
    (shared / "a").write_text("a")
    monkeypatch.setattr(DescriptorFolder, "delete", fail_for("a", DescriptorFolder.delete))
    monkeypatch.setattr(CheckedFolder, "move_new", partial(fail, errno.EACCES))

    with pytest.raises(Forbidden):
        local.move(below(shared, "a"), below(shared, "b"), replace=False)
    with pytest.raises(Forbidden):
        local.delete(below(shared, "a"), trash_name="t")

    assert (shared / "a").stat().st_nlink == 1
    assert not (shared / "b").exists()


def test_a_move_to_another_disk_copies_and_deletes(shared, local, kind, monkeypatch):
    (shared / "a").write_text("a")
    real = kind.move_new
    on_disk = {"a": partial(fail, errno.EXDEV)}
    monkeypatch.setattr(
        kind, "move_new", lambda folder, name, *more: on_disk.get(name, partial(real, folder, name))(*more)
    )

    local.move(below(shared, "a"), below(shared, "sub", "b"), replace=False)
    assert (sorted(os.listdir(shared)), (shared / "sub" / "b").read_text()) == (["sub"], "a")

    (shared / "a").write_text("a")
    monkeypatch.setattr(kind, "delete", fail_for("a", kind.delete))
    with pytest.raises(Forbidden):
        local.move(below(shared, "a"), below(shared, "c"), replace=False)
    assert sorted(os.listdir(shared)) == ["a", "sub"]


def test_a_name_is_changed_to_upper_case_where_that_is_the_same_file(shared, local, kind, monkeypatch):
    """As on Windows and macOS: the new name is found, and it is the file itself."""
    (shared / "a.txt").write_text("a")
    find = kind.find
    monkeypatch.setattr(kind, "find", lambda folder, name: find(folder, name) or find(folder, name.lower()))

    local.move(below(shared, "a.txt"), below(shared, "A.txt"), replace=False)

    assert os.listdir(shared) == ["A.txt"]


def test_a_failed_append_leaves_what_was_there(shared, local, monkeypatch):
    (shared / "a").write_text("before")
    write, calls = os.write, list[int]()

    def fill_the_disk(descriptor: int, content) -> int:
        calls.append(descriptor)
        if len(calls) > 1:
            fail(errno.ENOSPC)
        return write(descriptor, content[:2])

    monkeypatch.setattr(os, "write", fill_the_disk)
    with pytest.raises(AppError, match="full"):
        local.write(below(shared, "a"), b"after", WriteMode.APPEND)

    assert (shared / "a").read_text() == "before"


@pytest.mark.parametrize("action", ["read", "append", "replace", "copy", "move", "delete"])
def test_a_file_with_a_second_name_is_not_used(shared, local, action):
    """It could be any file of a user who can write to it, outside of the allowed folder."""
    os.link(shared.parent / "secret.txt", shared / "a")
    path = below(shared, "a")
    attempts = {
        "read": lambda: local.read(path, 100),
        "append": lambda: local.write(path, b"x", WriteMode.APPEND),
        "replace": lambda: local.write(path, b"x", WriteMode.REPLACE),
        "copy": lambda: local.copy(path, below(shared, "b"), replace=False),
        "move": lambda: local.move(path, below(shared, "b"), replace=False),
        "delete": lambda: local.delete(path, trash_name=""),
    }

    with pytest.raises(Forbidden, match="several names"):
        attempts[action]()

    assert (shared.parent / "secret.txt").read_text() == "secret"


# Full disks


@pytest.mark.parametrize(
    ("free", "said"),
    [((50 << 20, None), "almost full"), ((PLENTY, 10), "almost full"), ((PLENTY, None), "exist")],
)
def test_no_folder_is_created_for_what_cannot_be_written(shared, kind, free, said):
    local = altered(shared, kind, free_space=lambda: free)
    (shared / "a").write_text("a")
    source = below(shared, "none" if said == "exist" else "a")

    for attempt in (
        lambda: local.move(source, below(shared, "new", "b"), replace=False),
        lambda: local.copy(source, below(shared, "new", "b"), replace=False),
        lambda: local.delete(source, trash_name="t"),
    ):
        with pytest.raises(AppError, match=said):
            attempt()
    if said != "exist":
        with pytest.raises(AppError, match=said):
            local.write(below(shared, "new", "b"), b"x", WriteMode.CREATE)

    assert os.listdir(shared) == ["a"]


def test_a_copy_ends_when_others_fill_the_disk_meanwhile(shared, kind):
    free = iter([PLENTY, PLENTY, 1, 1, 1])
    local = altered(shared, kind, free_space=lambda: (next(free), None))
    (shared / "a").write_bytes(b"x" * (3 << 20))

    with pytest.raises(AppError, match="almost full"):
        local.copy(below(shared, "a"), below(shared, "b"), replace=False)

    assert os.listdir(shared) == ["a"]


def test_a_copy_that_takes_too_long_ends(shared, local, monkeypatch):
    monkeypatch.setattr(files_module, "MAX_SECONDS", -1)
    (shared / "a").write_text("a")

    with pytest.raises(TimedOut):
        local.copy(below(shared, "a"), below(shared, "b"), replace=False)

    assert os.listdir(shared) == ["a"]


# Large folders, and drives that don't respond


def test_a_listing_ends_when_it_takes_too_long_or_too_much_memory(shared, local, monkeypatch):
    for name in ("a", "b"):
        (shared / name).touch()
    listing = partial(local.listing, below(shared), ANY, subfolders=True, folders=True)

    monkeypatch.setattr(walk, "MAX_PATH_CHARACTERS", 1)
    with pytest.raises(AppError, match="long paths"):
        listing()
    monkeypatch.setattr(walk, "MAX_SECONDS", -1)
    with pytest.raises(TimedOut):
        listing()


def test_a_sub_folder_that_cannot_be_opened_is_reported_and_the_others_are_listed(
    shared, local, kind, monkeypatch
):
    for name in ("closed", "open"):
        (shared / name).mkdir()
        (shared / name / "a").touch()
    monkeypatch.setattr(kind, "enter", fail_for("closed", kind.enter))

    found = local.listing(below(shared), ANY, subfolders=True, folders=False)

    assert [entry.key for entry in found.entries] == ["open/a"]
    assert found.unreadable == {"closed"}


async def test_a_drive_that_does_not_respond_does_not_stop_the_files_of_others(shared, local):
    other = shared.parent / "other"
    other.mkdir()
    responds, access = threading.Event(), FileAccess(local)
    (other / "a").write_text("a")

    for _ in range(8):
        with pytest.raises(TimedOut):
            await access.run(responds.wait, below(shared), seconds=0)
    try:
        entry, content = await access.read(AllowedPath(str(other), ("a",)), 100)
    finally:
        responds.set()
        access.close()

    assert (entry.name, content) == ("a", b"a")


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(300_000_000_000, "9999-12-31T23:59:59Z"), (-300_000_000_000, "0001-01-01T00:00:00Z")],
)
def test_a_time_that_is_no_date_is_shown_as_the_nearest_one(seconds, shown):
    assert FileEntry("/a", ("a",), 0, seconds * 1_000_000_000).wire()["modifiedAt"] == shown


def test_a_file_that_changes_while_it_moves_to_another_disk_stays(shared, kind, monkeypatch):
    (shared / "a").write_text("a")
    real = kind.move_new

    def move_new(folder, name, *more):
        if name == "a":
            fail(errno.EXDEV)
        (shared / "a").write_text("longer")
        real(folder, name, *more)

    monkeypatch.setattr(kind, "move_new", move_new)
    local = LocalFiles(lambda: (str(shared),), (), kind.open_top)
    with pytest.raises(Conflict, match="changed by another program"):
        local.move(below(shared, "a"), below(shared, "b"), replace=False)

    assert (os.listdir(shared), (shared / "a").read_text()) == (["a"], "longer")
