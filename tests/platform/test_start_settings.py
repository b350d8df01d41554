"""The settings that the frame of the window reads are those that the rest of the window reads."""

import pytest

from patchbay.platform.settings import SettingsFile
from patchbay.platform.start_settings import StartSettings, read_start_settings


def test_the_frame_starts_with_the_stored_settings(tmp_path):
    file = SettingsFile(tmp_path / "settings.toml")
    value = file.value
    value.workspace, value.services = "local", ["https://flows.example.org"]
    value.appearance.scheme, value.appearance.font = "dark", "inter"
    value.language.code, value.language.formats = "de", "language"
    file.save()

    assert read_start_settings(tmp_path / "settings.toml") == StartSettings(
        "local", ("https://flows.example.org",), "dark", "inter", "de", "language"
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "workspace = 5",
        "workspace = [",
        'services = "local"\nappearance = "dark"\nlanguage = 3',
        '[appearance]\nscheme = "pink"\nfont = 5',
        '[language]\ncode = "../../de"\nformats = "mine"',
        "services = " + "[" * 60 + "]" * 60,
        "\x00",
    ],
)
def test_values_that_are_not_valid_are_the_defaults_and_the_file_is_kept(tmp_path, text):
    path = tmp_path / "settings.toml"
    path.write_text(text, "utf-8")

    assert read_start_settings(path) == StartSettings()
    assert path.read_text("utf-8") == text


def test_without_a_file_the_defaults_are_used(tmp_path):
    assert read_start_settings(tmp_path / "settings.toml") == StartSettings()
