"""The values of the look, read from `resources/themes/tokens.json`."""

import json
import re
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from PySide6.QtGui import QColor

from patchbay.desktop.ui.kit.resources import resource

Scheme = Literal["light", "dark"]


@dataclass(frozen=True)
class Tokens:
    """Every colour of one scheme. What each is for stands in tokens.json under `role`."""

    window: QColor
    surface: QColor
    sidebar: QColor
    raised: QColor
    hover: QColor
    pressed: QColor
    selected: QColor
    selected_inactive: QColor
    border: QColor
    row_line: QColor
    border_button: QColor
    border_control: QColor
    text: QColor
    text_secondary: QColor
    text_tertiary: QColor
    text_disabled: QColor
    accent: QColor
    accent_hover: QColor
    accent_pressed: QColor
    on_accent: QColor
    accent_text: QColor
    accent_soft: QColor
    accent_border: QColor
    focus: QColor
    focus_halo: QColor
    input_selection: QColor
    success: QColor
    success_soft: QColor
    success_graphic: QColor
    failure: QColor
    failure_soft: QColor
    failure_border: QColor
    failure_graphic: QColor
    danger: QColor
    danger_hover: QColor
    on_danger: QColor
    warning: QColor
    warning_soft: QColor
    warning_border: QColor
    warning_graphic: QColor
    neutral_graphic: QColor
    code_string: QColor
    code_number: QColor
    code_keyword: QColor
    code_key: QColor
    code_punctuation: QColor
    tooltip: QColor
    on_tooltip: QColor
    shadow: QColor

    def named(self, name: str) -> QColor:
        """A colour by its snake_case name."""
        colour: QColor = getattr(self, name)
        return colour


@dataclass(frozen=True)
class TypeStyle:
    """One text style: size in pixels at a 13 px body."""

    size: int
    weight: int
    line: int
    letter_spacing: float = 0.0
    fixed: bool = False


@cache
def raw_tokens() -> dict[str, Any]:
    """The whole file, for tests and for measures."""
    loaded: dict[str, Any] = json.loads(resource("themes", "tokens.json").read_text("utf-8"))
    return loaded


@cache
def tokens_of(scheme: Scheme) -> Tokens:
    colours = raw_tokens()["color"][scheme]
    return Tokens(**{_snake(name): QColor(value) for name, value in colours.items()})


@cache
def type_styles() -> dict[str, TypeStyle]:
    """Text styles by role: caption, caption_strong, body, medium, semibold, title, display, code."""
    renamed = {"bodyMedium": "medium", "bodyStrong": "semibold"}
    return {
        renamed.get(name, _snake(name)): TypeStyle(
            size=style["size"],
            weight=style["weight"],
            line=style["line"],
            letter_spacing=style.get("letterSpacing", 0.0),
            fixed=style.get("family") == "fixed",
        )
        for name, style in raw_tokens()["type"].items()
        if isinstance(style, dict)
    }


def _snake(name: str) -> str:
    return re.sub("([A-Z])", lambda match: "_" + match[1].lower(), name)
