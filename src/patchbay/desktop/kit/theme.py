"""The theme: design tokens, contrast (WCAG 2), colours, sizes, and fonts; it can change at run time."""

import json
import re
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontInfo, QPalette, QStyleHints
from PySide6.QtWidgets import QApplication, QWidget

import patchbay

Scheme = Literal["light", "dark"]

SchemeChoice = Literal["light", "dark", "system"]
FontChoice = Literal["automatic", "system", "inter"]

BASE_PIXELS = 13
PLAIN_FAMILIES = ("dejavu", "sans serif", "bitstream vera", "courier", "fixed", "monospace")
"""Font families that mean that the system has no interface font of its own."""


@cache
def resources_folder() -> Path:
    """`patchbay/resources` in an installed wheel, the top-level `resources` in a checkout."""
    package = Path(patchbay.__file__).parent
    candidates = (package / "resources", package.parent.parent / "resources")
    found = next((folder for folder in candidates if (folder / "themes").is_dir()), None)
    if found is None:
        raise FileNotFoundError("The program's resource files are missing; install it again.")
    return found


def documentation_folder() -> Path | None:
    """`patchbay/documentation` in an installed wheel, the top-level `docs` in a checkout; None without it."""
    package = Path(patchbay.__file__).parent
    candidates = (package / "documentation", package.parent.parent / "docs")
    return next((folder for folder in candidates if (folder / "index.md").is_file()), None)


def resource(*parts: str) -> Path:
    """The path of a file in the resources."""
    return resources_folder().joinpath(*parts)


@dataclass(frozen=True)
class Tokens:
    """Every colour of one scheme. Their uses are described in tokens.json under `role`."""

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
    """A text style: size in pixels for a 13 px body font."""

    size: int
    weight: int
    line: int
    letter_spacing: float = 0.0
    fixed: bool = False


@cache
def raw_tokens() -> dict[str, Any]:
    """The whole token file, for tests and measurements."""
    loaded: dict[str, Any] = json.loads(resource("themes", "tokens.json").read_text("utf-8"))
    return loaded


@cache
def tokens_of(scheme: Scheme) -> Tokens:
    """The colours of a scheme."""
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


def contrast(one: QColor, other: QColor) -> float:
    """The contrast ratio of two colours, from 1 (equal) to 21 (black on white)."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def readable(colour: QColor, *, on: QColor, ratio: float, instead_of_black: QColor) -> QColor:
    """`colour` lightened or darkened until it has this contrast; near-black becomes `instead_of_black`."""
    if not colour.isValid() or (
        colour.lightnessF() < 0.13 and colour.lightnessF() * colour.hslSaturationF() < 0.1
    ):
        return instead_of_black
    step = -0.02 if on.lightnessF() > 0.5 else 0.02
    hue = colour.hslHueF()
    saturation = colour.hslSaturationF()
    lightness = colour.lightnessF()
    while contrast(colour, on) < ratio and 0.0 <= lightness + step <= 1.0:
        lightness += step
        colour = QColor.fromHslF(max(hue, 0.0), saturation, lightness)
    return colour


def mixed(colour: QColor, background: QColor, share: float) -> QColor:
    """`share` of a colour over a background, opaque."""
    channels = zip(_channels(colour), _channels(background), strict=True)
    return QColor.fromRgbF(*(front * share + back * (1 - share) for front, back in channels))


def faded(colour: QColor, alpha: float) -> QColor:
    """The colour with its opacity multiplied by `alpha`."""
    made = QColor(colour)
    made.setAlphaF(colour.alphaF() * alpha)
    return made


def _channels(colour: QColor) -> tuple[float, float, float]:
    return colour.redF(), colour.greenF(), colour.blueF()


def _luminance(colour: QColor) -> float:
    red, green, blue = (_linear(channel) for channel in _channels(colour))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.03928 else float(((channel + 0.055) / 1.055) ** 2.4)


class Theme(QObject):
    """Colours, fonts, and sizes for painted widgets. `changed` is emitted after each switch."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.choice: SchemeChoice = "system"
        self.font_choice: FontChoice = "automatic"
        self.scheme: Scheme = "light"
        self.tokens: Tokens = tokens_of("light")
        self.base = BASE_PIXELS
        self.reduced_motion = False
        self.generation = 0
        """The number of switches, to compare with by those who cache coloured images."""
        self._sheet = ""
        self._families: list[str] = []
        self._fixed: list[str] = []
        self._fonts: dict[tuple[str, bool], QFont] = {}
        self._system_font: QFont | None = None

    @property
    def is_dark(self) -> bool:
        """Whether the scheme is dark."""
        return self.scheme == "dark"

    def px(self, value: float) -> int:
        """Scale a length given for a 13 px body to the body font in use."""
        return round(value * self.base / BASE_PIXELS)

    def color(self, token: str) -> QColor:
        """The colour of a token."""
        return self.tokens.named(token)

    def font(self, role: str = "body", *, tabular: bool = True) -> QFont:
        """The font of a text role: caption, caption_strong, body, medium, semibold, title, display, code.

        `tabular` figures all have the same width, for rows and columns; running text looks better without.
        """
        known = self._fonts.get((role, tabular))
        if known is None:
            known = self._fonts[role, tabular] = self._build_font(role, tabular)
        return QFont(known)

    def line(self, role: str = "body") -> int:
        """The line height of a text role."""
        return self.px(type_styles()[role].line)

    def duration(self, milliseconds: int) -> int:
        """How long an animation may take; 0 if the user asked for less motion."""
        return 0 if self.reduces_motion else milliseconds

    @property
    def reduces_motion(self) -> bool:
        """Whether animations are off; also if no one could see them (offscreen)."""
        return self.reduced_motion or QApplication.platformName() == "offscreen"

    def style_window(self, window: QWidget) -> None:
        """Style what belongs to a window without a parent, now and after each switch.

        The application has no style sheet: with one, Qt would restyle a whole tree of widgets each time a
        branch of it is added to another, which made building a page take half as long again.
        """
        window.setStyleSheet(self._sheet or build_sheet(self))

    def switch_to(self, app: QApplication, scheme: SchemeChoice, font: FontChoice) -> None:
        """Switch fonts, palette, and style sheets at once, then notify painted widgets."""
        self.choice, self.font_choice = scheme, font
        request_scheme(app.styleHints(), scheme)
        self.scheme = resolve(app, scheme)
        self.tokens = tokens_of(self.scheme)
        self._choose_families(app, font)
        self._fonts.clear()
        self.generation += 1
        windows = app.topLevelWidgets()
        for window in windows:
            window.setUpdatesEnabled(False)
        app.setFont(self.font("body", tabular=False))
        app.setPalette(build_palette(self.tokens))
        self._sheet = build_sheet(self)
        for window in windows:
            if window.styleSheet():
                self.style_window(window)
        self.changed.emit()
        for window in windows:
            window.setUpdatesEnabled(True)

    def _choose_families(self, app: QApplication, choice: FontChoice) -> None:
        if self._system_font is None:
            self._system_font = app.font()
        system = self._system_font
        info = QFontInfo(system)
        if choice == "inter" or (choice == "automatic" and not _has_interface_font(info.family())):
            self._families = [*bundled_families("inter"), *filter(None, [info.family()])]
            self._fixed = [*bundled_families("jetbrains-mono"), "monospace"]
        else:
            self._families = list(system.families()) or [info.family()]
            fixed = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
            self._fixed = [fixed.family(), *bundled_families("jetbrains-mono")]
        self.base = max(BASE_PIXELS, info.pixelSize())

    def _build_font(self, role: str, tabular: bool) -> QFont:
        style = type_styles()[role]
        font = QFont(self._fixed if style.fixed else self._families)
        font.setPixelSize(self.px(style.size))
        font.setWeight(QFont.Weight(style.weight))
        if tabular:
            font.setFeature(QFont.Tag("tnum"), 1)
        font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
        if style.fixed:
            font.setStyleHint(QFont.StyleHint.Monospace)
            for ligature in ("liga", "calt"):
                font.setFeature(QFont.Tag(ligature), 0)
        if style.letter_spacing:
            font.setLetterSpacing(QFont.SpacingType.AbsoluteSpacing, style.letter_spacing)
        return font


def _has_interface_font(family: str) -> bool:
    """Whether the system's font is meant for windows. Without any fonts, its family is empty."""
    return bool(family) and not family.lower().startswith(PLAIN_FAMILIES)


_current = Theme()


def theme() -> Theme:
    """The theme of this application."""
    return _current


def apply(app: QApplication, scheme: SchemeChoice = "system", font: FontChoice = "automatic") -> Theme:
    """Style the application; call it again to switch. With "system", it follows the desktop from then on."""
    current = theme()
    if current.generation == 0:
        app.setStyle("Fusion")
        app.styleHints().colorSchemeChanged.connect(lambda _: _on_scheme_changed(app))
    current.switch_to(app, scheme, font)
    return current


def _on_scheme_changed(app: QApplication) -> None:
    current = theme()
    if current.choice == "system" and resolve(app, "system") != current.scheme:
        current.switch_to(app, "system", current.font_choice)


def request_scheme(hints: QStyleHints, choice: SchemeChoice) -> None:
    """Let the system draw title bars and file dialogs in the chosen scheme."""
    schemes = {"light": Qt.ColorScheme.Light, "dark": Qt.ColorScheme.Dark}
    hints.setColorScheme(schemes.get(choice, Qt.ColorScheme.Unknown))


def resolve(app: QApplication, choice: SchemeChoice) -> Scheme:
    """The scheme for a choice. Light if the desktop doesn't say."""
    if choice != "system":
        return choice
    return "dark" if app.styleHints().colorScheme() is Qt.ColorScheme.Dark else "light"


@lru_cache
def bundled_families(folder: str) -> tuple[str, ...]:
    """Load the fonts of a folder once; returns their families, most general first."""
    names: dict[str, None] = {}
    for path in sorted(resource("fonts", folder).glob("*.ttf")):
        font_id = QFontDatabase.addApplicationFont(str(path))
        names.update(dict.fromkeys(QFontDatabase.applicationFontFamilies(font_id)[:1]))
    return tuple(names)


def build_palette(tokens: Tokens) -> QPalette:
    """A palette from the tokens, so that plain Qt widgets match."""
    role = QPalette.ColorRole
    palette = QPalette()
    for color_role, colour in (
        (role.Window, tokens.window), (role.Base, tokens.surface), (role.AlternateBase, tokens.sidebar),
        (role.Text, tokens.text), (role.WindowText, tokens.text), (role.ButtonText, tokens.text),
        (role.Button, tokens.surface), (role.PlaceholderText, tokens.text_tertiary),
        (role.Highlight, tokens.selected), (role.HighlightedText, tokens.text),
        (role.Link, tokens.accent_text), (role.LinkVisited, tokens.accent_text), (role.Accent, tokens.accent),
        (role.ToolTipBase, tokens.tooltip), (role.ToolTipText, tokens.on_tooltip),
        (role.Light, tokens.raised), (role.Midlight, tokens.hover), (role.Mid, tokens.border),
        (role.Dark, tokens.border_control), (role.Shadow, tokens.shadow), (role.BrightText, tokens.failure),
    ):  # fmt: skip
        palette.setColor(color_role, colour)
    for color_role in (
        role.Text,
        role.WindowText,
        role.ButtonText,
        role.HighlightedText,
        role.PlaceholderText,
    ):
        palette.setColor(QPalette.ColorGroup.Disabled, color_role, tokens.text_disabled)
    palette.setColor(QPalette.ColorGroup.Inactive, role.Highlight, tokens.selected_inactive)
    return palette


def build_sheet(current: Theme) -> str:
    """The style sheet with `@token` replaced by colours and `NNpx` scaled to the body font."""
    source = resource("themes", "patchbay.qss").read_text("utf-8")
    source = re.sub(r"(\d+)px", lambda match: f"{current.px(int(match[1]))}px", source)
    source = re.sub(
        r"@icon\(([\w-]+)\)", lambda match: resource("themes", match[1] + ".svg").as_posix(), source
    )
    return re.sub(r"@(\w+)", lambda match: current.color(match[1]).name(QColor.NameFormat.HexArgb), source)
