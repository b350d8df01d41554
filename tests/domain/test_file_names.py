"""Names that Windows takes for devices."""

import pytest

from patchbay.desktop.flows.view_models.import_export import file_name
from patchbay.domain.base import AppKey
from patchbay.domain.errors import ValidationFailed
from patchbay.domain.file_names import is_reserved_name
from patchbay.integration.files import clean_file_name
from patchbay.integration.new_app import write_app


@pytest.mark.parametrize("name", ["con", "NUL.json", "Aux.tar.gz", "com1", "LPT9.txt", "prn .txt"])
def test_names_of_devices_are_reserved(name):
    assert is_reserved_name(name)


@pytest.mark.parametrize("name", ["console", "com10", "my-con", "null", ".con", "a.con"])
def test_other_names_are_not(name):
    assert not is_reserved_name(name)


def test_exported_files_can_be_stored_on_windows():
    assert file_name("Con") == "con_.json"
    assert clean_file_name("aux.csv", "file") == "aux_.csv"
    assert clean_file_name("", "file") == "file"


def test_an_app_key_is_no_name_of_a_device(tmp_path):
    with pytest.raises(ValidationFailed, match="isn't a valid app key"):
        write_app(AppKey("com1"), tmp_path)

    assert not list(tmp_path.iterdir())
