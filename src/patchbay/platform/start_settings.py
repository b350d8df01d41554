"""The settings that the frame of the window needs, read without pydantic, whose import takes long."""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

from patchbay.domain.charsets import decode_text_file
from patchbay.domain.small_files import read_small_file, require_shallow

_MAX_CHARACTERS = 1 << 20
_MAX_BYTES = 4 * _MAX_CHARACTERS
_MAX_DOTS = 10_000
"""No valid settings file exceeds these limits. Parsing keys with many parts takes quadratic time."""

LANGUAGE_CODE = r"^[a-zA-Z_]{2,12}$"

Scheme = Literal["system", "light", "dark"]
Font = Literal["automatic", "system", "inter"]
Formats = Literal["system", "language"]
C = TypeVar("C", bound=str)


@dataclass(frozen=True)
class StartSettings:
    """The settings with which the window starts. Values that aren't valid are the defaults."""

    workspace: str | None = None
    servers: tuple[str, ...] = ()
    scheme: Scheme = "system"
    font: Font = "automatic"
    language: str = "system"
    formats: Formats = "system"


def read_start_settings(path: Path) -> StartSettings:
    """Read the settings with which the window starts from the settings file, which this never changes.

    Returns the defaults if it can't be read.
    """
    try:
        table = read_table(path)
    except (OSError, ValueError):
        return StartSettings()
    appearance, language = _section(table, "appearance"), _section(table, "language")
    workspace, servers, code = table.get("workspace"), table.get("services"), language.get("code")
    return StartSettings(
        workspace if isinstance(workspace, str) else None,
        tuple(each for each in servers if isinstance(each, str)) if isinstance(servers, list) else (),
        _chosen(appearance.get("scheme"), "system", get_args(Scheme)),
        _chosen(appearance.get("font"), "automatic", get_args(Font)),
        code if isinstance(code, str) and re.fullmatch(LANGUAGE_CODE, code) else "system",
        _chosen(language.get("formats"), "system", get_args(Formats)),
    )


def read_table(path: Path) -> dict[str, Any]:
    """Parse a settings file. Raises `OSError` or `ValueError`."""
    text = decode_text_file(read_small_file(path, _MAX_BYTES))
    if len(text) > _MAX_CHARACTERS or text.count(".") > _MAX_DOTS:
        raise ValueError("far larger than any settings")
    try:
        read = tomllib.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    require_shallow(read)
    return read


def _section(table: dict[str, Any], name: str) -> dict[str, Any]:
    section = table.get(name)
    return section if isinstance(section, dict) else {}


def _chosen(value: object, default: C, choices: tuple[C, ...]) -> C:
    return next((choice for choice in choices if choice == value), default)
