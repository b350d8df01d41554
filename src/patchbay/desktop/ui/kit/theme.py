"""The theme of the application: colours, sizes and fonts, switched while it runs."""

import re
from functools import lru_cache
from typing import Literal

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontInfo, QPalette
from PySide6.QtWidgets import QApplication

from patchbay.desktop.ui.kit.resources import resource
from patchbay.desktop.ui.kit.tokens import Scheme, Tokens, tokens_of, type_styles

SchemeChoice = Literal["light", "dark", "system"]
FontChoice = Literal["automatic", "system", "inter"]

BASE_PIXELS = 13
PLAIN_FAMILIES = ("dejavu", "sans serif", "bitstream vera", "courier", "fixed", "monospace")
"""Families that mean the system has no interface font of its own."""


class Theme(QObject):
    """What every painted widget asks for colours and sizes. `changed` follows each switch."""

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
        """Counts the switches; whoever keeps something tinted compares it."""
        self._families: list[str] = []
        self._fixed: list[str] = []
        self._fonts: dict[tuple[str, bool], QFont] = {}
        self._system_font: QFont | None = None

    @property
    def is_dark(self) -> bool:
        return self.scheme == "dark"

    def px(self, value: float) -> int:
        """A length given at a 13 px body, scaled to the body font in use."""
        return round(value * self.base / BASE_PIXELS)

    def color(self, token: str) -> QColor:
        return self.tokens.named(token)

    def font(self, role: str = "body", *, tabular: bool = True) -> QFont:
        """The font of a text role: caption, caption_strong, body, medium, semibold, title, display, code.

        `tabular` figures are all of one width, for rows and columns; running text looks better without.
        """
        known = self._fonts.get((role, tabular))
        if known is None:
            known = self._fonts[role, tabular] = self._build_font(role, tabular)
        return QFont(known)

    def line(self, role: str = "body") -> int:
        """The line height of a text role."""
        return self.px(type_styles()[role].line)

    def duration(self, milliseconds: int) -> int:
        """How long a movement may take: 0 where the person asked for less motion."""
        return 0 if self.calm else milliseconds

    @property
    def calm(self) -> bool:
        """Whether movement is to be avoided; also where nobody could see it (offscreen)."""
        return self.reduced_motion or QApplication.platformName() == "offscreen"

    def use(self, app: QApplication, scheme: SchemeChoice, font: FontChoice) -> None:
        """Switch everything at once: fonts, palette, style sheet, then tell the painted widgets."""
        self.choice, self.font_choice = scheme, font
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
        app.setStyleSheet(build_sheet(self))
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
    """Whether the system's own font is made for windows. Without any fonts, its family is empty."""
    return bool(family) and not family.lower().startswith(PLAIN_FAMILIES)


_current = Theme()


def theme() -> Theme:
    """The theme of this application."""
    return _current


def apply(app: QApplication, scheme: SchemeChoice = "system", font: FontChoice = "automatic") -> Theme:
    """Give the application its look; call again to switch. "system" follows the desktop from then on."""
    current = theme()
    if current.generation == 0:
        app.setStyle("Fusion")
        app.styleHints().colorSchemeChanged.connect(lambda _: _follow(app))
    current.use(app, scheme, font)
    return current


def _follow(app: QApplication) -> None:
    current = theme()
    if current.choice == "system" and resolve(app, "system") != current.scheme:
        current.use(app, "system", current.font_choice)


def resolve(app: QApplication, choice: SchemeChoice) -> Scheme:
    """Which scheme a choice means now. Where the desktop does not say, light."""
    if choice != "system":
        return choice
    return "dark" if app.styleHints().colorScheme() is Qt.ColorScheme.Dark else "light"


@lru_cache
def bundled_families(folder: str) -> tuple[str, ...]:
    """Load the fonts of a folder once; the names of their families, most general first."""
    names: dict[str, None] = {}
    for path in sorted(resource("fonts", folder).glob("*.ttf")):
        font_id = QFontDatabase.addApplicationFont(str(path))
        names.update(dict.fromkeys(QFontDatabase.applicationFontFamilies(font_id)[:1]))
    return tuple(names)


def build_palette(tokens: Tokens) -> QPalette:
    """What a palette can say of the tokens, so that stray Qt widgets look right as well."""
    role = QPalette.ColorRole
    palette = QPalette()
    for where, colour in (
        (role.Window, tokens.window), (role.Base, tokens.surface), (role.AlternateBase, tokens.sidebar),
        (role.Text, tokens.text), (role.WindowText, tokens.text), (role.ButtonText, tokens.text),
        (role.Button, tokens.surface), (role.PlaceholderText, tokens.text_tertiary),
        (role.Highlight, tokens.selected), (role.HighlightedText, tokens.text),
        (role.Link, tokens.accent_text), (role.LinkVisited, tokens.accent_text), (role.Accent, tokens.accent),
        (role.ToolTipBase, tokens.tooltip), (role.ToolTipText, tokens.on_tooltip),
        (role.Light, tokens.raised), (role.Midlight, tokens.hover), (role.Mid, tokens.border),
        (role.Dark, tokens.border_control), (role.Shadow, tokens.shadow), (role.BrightText, tokens.failure),
    ):  # fmt: skip
        palette.setColor(where, colour)
    for where in (role.Text, role.WindowText, role.ButtonText, role.HighlightedText, role.PlaceholderText):
        palette.setColor(QPalette.ColorGroup.Disabled, where, tokens.text_disabled)
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
