"""Settings, About lists every library that the package requires."""

import re
import tomllib
from pathlib import Path

from patchbay.desktop.settings.licences import UNKNOWN_LICENCE, built_with, libraries

PROJECT = Path(__file__).parents[3] / "pyproject.toml"
ELSEWHERE = {"tzdata"}
"""Required on Windows only."""


def test_about_lists_every_library_of_the_project_with_its_licence() -> None:
    requirements = tomllib.loads(PROJECT.read_text("utf-8"))["project"]["dependencies"]
    names = {re.split(r"[^\w.-]", requirement)[0] for requirement in requirements}

    in_palette = dict(libraries(requirements))

    shown = {_plain(name.rpartition(" ")[0]) for name in in_palette}
    missing = {_plain(name) for name in names - ELSEWHERE} - shown
    assert missing == {"pyside6-essentials"}, "it goes by another name"
    assert any(name.startswith("Qt for Python 6.") for name in in_palette)
    assert UNKNOWN_LICENCE not in in_palette.values()


def test_about_reads_the_requirements_of_the_installed_package_and_adds_what_is_bundled() -> None:
    in_palette = built_with()

    assert ("Inter", "OFL-1.1") in in_palette
    assert any(name.startswith("httpx ") for name, _ in in_palette)


def test_requirements_of_extras_and_of_other_systems_are_left_out() -> None:
    assert libraries(["pytest; extra == 'dev'", "no-such-library>=1; sys_platform == 'win32'"]) == ()


def _plain(name: str) -> str:
    return name.lower().replace("_", "-")
