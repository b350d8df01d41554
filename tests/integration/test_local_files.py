"""Files of steps: only below allowed folders, whatever a path, a link, or another program does."""

import os
import socket
import stat
import sys
import threading
from functools import partial
from pathlib import Path
from typing import cast

import pytest
from tests.support.forms import in_forms

from patchbay.domain.errors import AppError, Conflict, Forbidden, NotFound, ValidationFailed
from patchbay.integration.local_files import (
    FileAccess,
    LocalFiles,
    NamePattern,
    WriteMode,
    find_folder_problem,
    walk,
)
from patchbay.integration.local_files import files as files_module
from patchbay.integration.local_files.folders import CheckedFolder, DescriptorFolder, OpenFolder
from patchbay.integration.local_files.paths import AllowedPath, parse_path

ANY = NamePattern("")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links and pipes of POSIX")


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
def local(shared, tmp_path, kind) -> LocalFiles:
    own = tmp_path / "data"
    own.mkdir()
    (own / "patchbay.db").write_text("flows")
    return LocalFiles(lambda: (str(shared),), (own,), kind.open_top)


def below(shared: Path, *parts: str) -> AllowedPath:
    return AllowedPath(str(shared), parts)


# What is entered


@pytest.mark.parametrize(
    "entered",
    [
        "",
        " ",
        "report.csv",
        "./report.csv",
        "~/report.csv",
        "/shared/../etc/passwd",
        "/shared/..",
        "/shared/a\x00b",
        "/shared/\ud800",
        "/shared/" + "a/" * 70,
        "/shared/" + "a" * 256,
        "/" + "a" * 5000,
    ],
)
def test_what_is_no_plain_full_path_is_rejected_before_the_disk_is_accessed(entered):
    with pytest.raises(ValidationFailed) as caught:
        parse_path(entered, ("/shared",), field="path", windows=False)

    assert list(caught.value.by_field) == ["path"]


@pytest.mark.parametrize(
    "entered", ["/etc/passwd", "/sharedx/a", "/share", "/", "/proc/self/environ", "//etc/passwd"]
)
def test_a_path_outside_of_the_allowed_folders_is_forbidden_and_names_the_setting(entered):
    with pytest.raises(Forbidden) as caught:
        parse_path(entered, ("/shared",), field="path", windows=False)

    assert "Settings → Engine" in caught.value.todo
    assert "--allow-folder" in caught.value.todo


def test_the_innermost_allowed_folder_is_opened():
    found = parse_path("/a/b/./c//d", ("/a", "/a/b/", "/x"), field="path", windows=False)

    assert found == AllowedPath("/a/b/", ("c", "d"))


@pytest.mark.parametrize(
    "entered",
    [
        "C:report.csv",
        "\\\\?\\C:\\Shared\\a",
        "\\\\.\\pipe\\a",
        "C:\\Shared\\..\\a",
        "D:\\Shared\\a",
        "\\\\host\\share\\a",
        "C:\\Shared\\a:stream",
        "C:\\Shared\\con",
        "C:\\Shared\\NUL.txt",
        "C:\\Shared\\a.",
        "C:\\Shared\\a ",
        "/Shared/a",
    ],
)
def test_on_windows_devices_streams_and_other_drives_are_out_of_reach(entered):
    with pytest.raises((ValidationFailed, Forbidden)):
        parse_path(entered, ("C:\\Shared",), field="path", windows=True)


def test_on_windows_case_and_slashes_do_not_matter():
    found = parse_path("c:/SHARED/Sub\\a.txt", ("C:\\Shared",), field="path", windows=True)

    assert found.parts == ("Sub", "a.txt")


@pytest.mark.parametrize(
    "folder", ["/", "//", "relative", "/proc/self", "/sys", "/dev/shm", "/a/../b", "", "/a\0"]
)
def test_a_whole_disk_or_what_belongs_to_the_system_cannot_be_allowed(folder):
    assert find_folder_problem(folder, windows=False)


def test_a_disk_of_windows_cannot_be_allowed():
    assert find_folder_problem("C:\\", windows=True)
    assert not find_folder_problem("C:\\Files", windows=True)
    assert not find_folder_problem("\\\\server\\share\\Files", windows=True)


# Links, also those that appear at the last moment


@pytest.mark.parametrize("target", ["../secret.txt", "/etc/passwd", "inside.txt"])
def test_a_link_is_not_followed(shared, local, target):
    (shared / "inside.txt").write_text("inside")
    (shared / "link").symlink_to(target)
    path = below(shared, "link")

    for attempt in (
        lambda: local.read(path, 100),
        lambda: local.write(path, b"x", WriteMode.REPLACE),
        lambda: local.write(path, b"x", WriteMode.APPEND),
        lambda: local.copy(path, below(shared, "copy"), replace=True),
        lambda: local.move(path, below(shared, "moved"), replace=True),
        lambda: local.delete(path, trash_name="t"),
    ):
        with pytest.raises(Forbidden, match="symbolic link"):
            attempt()

    assert (shared.parent / "secret.txt").read_text() == "secret"
    assert sorted(os.listdir(shared)) == ["inside.txt", "link"]


def test_a_folder_that_is_a_link_is_not_entered_or_listed(shared, local):
    (shared / "out").symlink_to(shared.parent)

    with pytest.raises(Forbidden):
        local.read(below(shared, "out", "secret.txt"), 100)
    with pytest.raises(Forbidden):
        local.write(below(shared, "out", "new.txt"), b"x", WriteMode.CREATE)
    with pytest.raises(Forbidden):
        local.listing(below(shared, "out"), ANY, subfolders=True, folders=True)
    assert local.listing(below(shared), ANY, subfolders=True, folders=True).entries == ()


class _Swapping:
    """A folder that is swapped for a link, or a file, after its name was checked."""

    def __init__(self, folder: OpenFolder, left: str, swap) -> None:
        self._folder, self._swap = folder, swap
        self._left = left.strip("/")
        """The names that still lead to the allowed folder."""

    def __getattr__(self, name):
        return getattr(self._folder, name)

    def find(self, name):
        found = self._folder.find(name)
        if not self._left:
            self._swap()
        return found

    def enter(self, name):
        return _Swapping(self._folder.enter(name), self._left.partition("/")[2], self._swap)


def _swapped(shared: Path, kind, swap) -> LocalFiles:
    done: list[bool] = []

    def once():
        if not done:
            done.append(True)
            swap()

    def open_top(top: str) -> OpenFolder:
        return cast(OpenFolder, _Swapping(kind.open_top(top), str(shared), once))

    return LocalFiles(lambda: (str(shared),), (), open_top)


def test_a_file_swapped_for_a_link_between_check_and_use_is_not_read(shared, kind):
    (shared / "a.txt").write_text("harmless")

    def swap():
        (shared / "a.txt").unlink()
        (shared / "a.txt").symlink_to(shared.parent / "secret.txt")

    with pytest.raises(Forbidden):
        _swapped(shared, kind, swap).read(below(shared, "a.txt"), 100)


def test_a_file_swapped_for_a_link_is_replaced_and_what_it_leads_to_stays(shared, kind):
    (shared / "a.txt").write_text("harmless")

    def swap():
        (shared / "a.txt").unlink()
        (shared / "a.txt").symlink_to(shared.parent / "secret.txt")

    _swapped(shared, kind, swap).write(below(shared, "a.txt"), b"new", WriteMode.REPLACE)

    assert (shared.parent / "secret.txt").read_text() == "secret"
    assert (shared / "a.txt").read_text() == "new"
    assert not (shared / "a.txt").is_symlink()


@pytest.mark.parametrize("mode", [WriteMode.APPEND, WriteMode.CREATE])
def test_nothing_is_written_through_a_link_that_appears_meanwhile(shared, kind, mode):
    if mode is WriteMode.APPEND:
        (shared / "a.txt").write_text("harmless")

    def swap():
        (shared / "a.txt").unlink(missing_ok=True)
        (shared / "a.txt").symlink_to(shared.parent / "secret.txt")

    with pytest.raises(AppError):
        _swapped(shared, kind, swap).write(below(shared, "a.txt"), b"new", mode)

    assert (shared.parent / "secret.txt").read_text() == "secret"


def test_a_folder_swapped_for_a_link_between_check_and_use_is_not_entered(shared, kind):
    (shared / "sub").mkdir()
    (shared / "sub" / "secret.txt").write_text("harmless")

    def swap():
        (shared / "sub").rename(shared / "away")
        (shared / "sub").symlink_to(shared.parent)

    with pytest.raises(AppError):
        _swapped(shared, kind, swap).read(below(shared, "sub", "secret.txt"), 100)


def test_a_file_swapped_for_a_pipe_is_rejected_without_waiting(shared, kind):
    (shared / "a.txt").write_text("harmless")

    def swap():
        (shared / "a.txt").unlink()
        os.mkfifo(shared / "a.txt")

    with pytest.raises(AppError):
        _swapped(shared, kind, swap).read(below(shared, "a.txt"), 100)


@pytest.mark.parametrize("rounds", in_forms([20, 1000], short=[20]))
def test_an_attacker_who_swaps_all_the_time_gets_nothing(shared, kind, rounds):
    """A folder and a link to its parent change places all the time; only the folder's file is ever read."""
    local, ends = LocalFiles(lambda: (str(shared),), (), kind.open_top), threading.Event()
    (shared / "real").mkdir()
    (shared / "real" / "secret.txt").write_text("harmless")
    (shared / "link").symlink_to(shared.parent)

    def swap_all_the_time():
        while not ends.is_set():
            for source, target in (("real", "sub"), ("sub", "real"), ("link", "sub"), ("sub", "link")):
                os.rename(shared / source, shared / target)

    attacker = threading.Thread(target=swap_all_the_time)
    attacker.start()
    contents = set()
    try:
        for _ in range(rounds):
            try:
                contents.add(local.read(below(shared, "sub", "secret.txt"), 100)[1])
            except AppError:
                continue
    finally:
        ends.set()
        attacker.join()

    assert contents <= {b"harmless"}


# What isn't a regular file


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(os.path.relpath(path))


def _folder(path: Path) -> None:
    path.mkdir()


@pytest.mark.parametrize("make", [_pipe, _socket, _folder])
def test_pipes_sockets_and_folders_are_neither_read_nor_written(shared, local, make, monkeypatch):
    monkeypatch.chdir(shared)
    make(shared / "odd")

    for attempt in (
        lambda: local.read(below(shared, "odd"), 100),
        lambda: local.write(below(shared, "odd"), b"x", WriteMode.APPEND),
        lambda: local.write(below(shared, "odd"), b"x", WriteMode.REPLACE),
        lambda: local.delete(below(shared, "odd"), trash_name=""),
    ):
        with pytest.raises(Forbidden, match=r"regular|folder"):
            attempt()

    assert [one.name for one in _listed(local, shared)] == []


@pytest.mark.skipif(sys.platform != "linux", reason="file systems of the Linux kernel")
@pytest.mark.parametrize("folder", ["/proc/self", "/sys/kernel", "/dev"])
def test_the_kernel_s_file_systems_are_out_of_reach_even_if_they_are_allowed(kind, folder):
    local = LocalFiles(lambda: (folder,), (), kind.open_top)

    with pytest.raises(Forbidden, match=r"belongs to"):
        local.listing(AllowedPath(folder), ANY, subfolders=False, folders=False)


# Patchbay's own data


def test_patchbay_s_own_folder_is_out_of_reach_inside_an_allowed_one(tmp_path, local, kind):
    around = LocalFiles(lambda: (str(tmp_path),), (tmp_path / "data",), kind.open_top)

    with pytest.raises(Forbidden, match="belongs to Patchbay"):
        around.read(below(tmp_path, "data", "patchbay.db"), 100)
    with pytest.raises(Forbidden, match="belongs to Patchbay"):
        around.write(below(tmp_path, "data", "settings.toml"), b"x", WriteMode.CREATE)
    found = around.listing(below(tmp_path), ANY, subfolders=True, folders=True)
    assert "data" not in {part for entry in found.entries for part in entry.parts}


def test_a_folder_inside_patchbay_s_own_is_out_of_reach_even_if_allowed(tmp_path, kind):
    (tmp_path / "data" / "apps").mkdir(parents=True)
    own = (tmp_path / "data",)

    for root in (tmp_path / "data" / "apps", tmp_path / "data"):
        inside = LocalFiles(partial(tuple, (str(root),)), own, kind.open_top)
        with pytest.raises(Forbidden, match="belongs to Patchbay"):
            inside.write(below(root, "app.py"), b"x", WriteMode.CREATE)


# Limits


def test_a_file_that_is_too_large_is_not_read(shared, local):
    with open(shared / "huge", "wb") as file:
        file.truncate(5 << 40)

    with pytest.raises(ValidationFailed, match="too large"):
        local.read(below(shared, "huge"), 1 << 20)
    with pytest.raises(ValidationFailed, match="too large"):
        local.copy(below(shared, "huge"), below(shared, "copy"), replace=False)
    with pytest.raises(ValidationFailed, match="too large"):
        local.write(below(shared, "huge"), b"x", WriteMode.APPEND)


def test_a_folder_with_too_many_files_is_rejected(shared, local, monkeypatch):
    monkeypatch.setattr(walk, "MAX_ENTRIES", 3)
    for number in range(4):
        (shared / f"{number}").touch()

    with pytest.raises(ValidationFailed, match="more than 3 files"):
        _listed(local, shared)


def test_space_on_the_disk_is_kept_free(shared, local, monkeypatch):
    monkeypatch.setattr(files_module, "MIN_FREE_BYTES", 1 << 60)

    with pytest.raises(AppError, match="almost full"):
        local.write(below(shared, "a"), b"x", WriteMode.CREATE)

    assert os.listdir(shared) == []


# What can be done


def test_writing_creates_replaces_and_appends(shared, local):
    path = below(shared, "new", "sub", "a.txt")

    local.write(path, b"one", WriteMode.CREATE)
    with pytest.raises(Conflict):
        local.write(path, b"two", WriteMode.CREATE)
    local.write(path, b", two", WriteMode.APPEND)
    assert local.read(path, 100)[1] == b"one, two"
    os.chmod(str(path), 0o640)
    entry = local.write(path, b"three", WriteMode.REPLACE)

    assert local.read(path, 100) == (entry, b"three")
    assert stat.S_IMODE(os.stat(str(path)).st_mode) == 0o640
    assert os.listdir(shared / "new" / "sub") == ["a.txt"]


def test_a_file_that_changed_since_it_was_read_is_not_replaced(shared, local):
    (shared / "a.txt").write_text("one")
    entry, _ = local.read(below(shared, "a.txt"), 100)
    (shared / "a.txt").write_text("two, longer")

    with pytest.raises(Conflict, match="changed by another program"):
        local.write(below(shared, "a.txt"), b"x", WriteMode.REPLACE, entry)

    assert (shared / "a.txt").read_text() == "two, longer"


def test_moving_and_copying_replace_only_if_asked_to(shared, local):
    (shared / "a.txt").write_text("a")
    (shared / "b.txt").write_text("b")
    a, b = below(shared, "a.txt"), below(shared, "b.txt")

    with pytest.raises(Conflict):
        local.move(a, b, replace=False)
    with pytest.raises(Conflict):
        local.copy(a, b, replace=False)
    local.copy(a, below(shared, "sub", "c.txt"), replace=False)
    local.move(a, b, replace=True)

    assert (shared / "b.txt").read_text() == "a"
    assert (shared / "sub" / "c.txt").read_text() == "a"
    assert sorted(os.listdir(shared)) == ["b.txt", "sub"]


def test_a_deleted_file_is_in_the_trash_folder_which_steps_do_not_see(shared, local):
    (shared / "sub").mkdir()
    (shared / "sub" / "a.txt").write_text("a")

    deleted = local.delete(below(shared, "sub", "a.txt"), trash_name="2026")

    assert Path(deleted.trash_path).read_text() == "a"
    assert Path(deleted.trash_path).parent == shared / ".patchbay-trash"
    assert _listed(local, shared) == ()
    with pytest.raises(NotFound):
        local.delete(below(shared, "sub", "a.txt"), trash_name="")


def test_names_with_line_breaks_and_other_odd_characters_are_listed_and_read(shared, local):
    for name in ("a\nb.csv", "ü.CSV", " .csv", "*.csv", "$(x);.csv"):
        (shared / name).write_text(name)
    os.close(os.open(os.fsencode(shared) + b"/\xff.csv", os.O_CREAT))

    found = local.listing(below(shared), NamePattern("*.csv"), subfolders=False, folders=False)

    assert {one.name for one in found.entries} == {"a\nb.csv", "ü.CSV", " .csv", "*.csv", "$(x);.csv"}
    assert local.read(below(shared, "a\nb.csv"), 100)[1] == b"a\nb.csv"


@pytest.mark.parametrize("name", ["a\nb", "a\x1b[0m", "invoice\u202efdp.exe"])
async def test_new_files_do_not_get_odd_or_reserved_names(shared, local, name):
    files = FileAccess(local)

    for path in (below(shared, name), below(shared, name, "a")):
        with pytest.raises(ValidationFailed):
            await files.write(path, b"x", WriteMode.CREATE)

    files.close()
    assert os.listdir(shared) == []


@pytest.mark.parametrize("entered", [".patchbay-trash", ".Patchbay-trash/a", "a/.patchbay-x/b"])
def test_names_of_patchbay_s_own_are_reserved_in_every_part_of_a_path(entered):
    with pytest.raises(ValidationFailed, match="reserved"):
        parse_path(f"/shared/{entered}", ("/shared",), field="path", windows=False)


def test_a_pattern_is_linear(shared):
    pattern = NamePattern("*a" * 60 + "b")

    assert not pattern.matches("a" * 255)


def _listed(local: LocalFiles, folder: Path):
    return local.listing(below(folder), ANY, subfolders=True, folders=False).entries
