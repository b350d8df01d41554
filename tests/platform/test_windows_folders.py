"""The data folder on Windows: where it may be, and who can read it."""

import sys
from pathlib import Path

import pytest
from tests.support.other_systems import Library, windows_error, windows_module

from patchbay.bootstrap.key_store import read_passphrase
from patchbay.domain.errors import StorageFault, ValidationFailed
from patchbay.platform import access_lists
from patchbay.platform.access_lists import others_with_access
from patchbay.platform.paths import AppPaths

ADA = "S-1-5-21-1-2-3-1001"
PRIVATE = f"D:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;FA;;;{ADA})"
SHARED = f"{PRIVATE}(A;OICIID;0x1200a9;;;BU)(A;OICIID;0x1301bf;;;AU)"


class FakeSecurity:
    """The access lists of a drive. `works` is whether they can be changed."""

    user = ADA

    def __init__(self, sddl: str, *, works: bool = True, denied: bool = False) -> None:
        self.sddl, self.works, self.denied = sddl, works, denied

    def access_list(self, _: Path) -> str:
        return self.sddl

    def set_access_list(self, _: Path, sddl: str) -> None:
        if self.denied:
            raise windows_error(5)
        if self.works:
            self.sddl = sddl


@pytest.fixture
def drive(monkeypatch):
    def use(security: FakeSecurity) -> FakeSecurity:
        monkeypatch.setattr(sys, "platform", "win32")
        monkeypatch.setattr(access_lists, "Security", lambda: security, raising=False)
        return security

    return use


def test_others_are_found_in_an_access_list():
    assert others_with_access(PRIVATE, ADA) == ()
    assert others_with_access(SHARED, ADA) == ("BU", "AU")
    assert others_with_access(PRIVATE, "S-1-5-21-1-2-3-1002") == (ADA,)
    assert others_with_access("D:NO_ACCESS_CONTROL", ADA) == ("WD",)
    assert others_with_access(f"{PRIVATE}(D;;FA;;;WD)", ADA) == ()  # denied


def test_a_folder_that_others_can_read_is_restricted(tmp_path, drive):
    security = drive(FakeSecurity(SHARED))

    AppPaths.choose(tmp_path).prepare()

    assert others_with_access(security.sddl, ADA) == ()
    assert ADA in security.sddl


def test_a_folder_with_files_of_other_programs_is_not_restricted(tmp_path, drive):
    security = drive(FakeSecurity(SHARED))
    (tmp_path / "thesis.docx").touch()

    with pytest.raises(StorageFault, match="it has files of other programs"):
        AppPaths.choose(tmp_path).prepare()

    assert security.sddl == SHARED


@pytest.mark.parametrize("options", [{"works": False}, {"denied": True}])
def test_a_folder_that_stays_open_to_others_is_reported(tmp_path, drive, options):
    drive(FakeSecurity(SHARED, **options))

    with pytest.raises(StorageFault, match="Other users of this computer may be able to read"):
        AppPaths.choose(tmp_path).prepare()


def test_a_passphrase_file_that_others_can_read_is_rejected(tmp_path, drive):
    file = tmp_path / "passphrase"
    file.write_text("correct horse")
    file.chmod(0o600)
    drive(FakeSecurity(SHARED))

    with pytest.raises(ValidationFailed, match="can be read by other users"):
        read_passphrase(file)


def test_the_calls_of_the_system_are_checked_and_their_memory_is_freed(tmp_path, monkeypatch):
    def answer_token(*arguments) -> int:
        arguments[-1]._obj.value = 16
        return 1

    library = Library(
        {"GetNamedSecurityInfoW": 5, "SetNamedSecurityInfoW": 0, "GetTokenInformation": answer_token}
    )
    module = windows_module(monkeypatch, "patchbay.platform.access_lists", library)
    security = module.Security()

    with pytest.raises(PermissionError):
        security.access_list(tmp_path)
    security.set_access_list(tmp_path, PRIVATE)
    library.GetNamedSecurityInfoW._answer = 0
    security.access_list(tmp_path)

    assert library.called().count("LocalFree") == 1 + 1 + 2  # SID, list that was set, list that was read
    assert "SetNamedSecurityInfoW" not in library.called()[-3:]


@pytest.mark.parametrize(
    ("folder", "message"),
    [
        (r"\\server\share\patchbay", "is on another computer"),
        (r"C:\Users\ada\nul", "is the name of a device"),
        (r"C:\com1.data\patchbay", "is the name of a device"),
    ],
)
def test_an_impossible_data_folder_is_reported(tmp_path, monkeypatch, folder, message):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "platform", "win32")
    data = Path(folder)

    with pytest.raises(StorageFault, match=message):
        AppPaths(data, data, data / "logs", data / "cache").prepare()

    assert not list(tmp_path.iterdir())
