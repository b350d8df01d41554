"""The light theme for tests that show widgets."""

from PySide6.QtWidgets import QApplication

from patchbay.desktop.kit import theme


def apply_light_theme(app: QApplication) -> None:
    """Switch to the light theme, unless it is set: a style sheet takes a tenth of a second each time."""
    current = theme.theme()
    if not app.styleSheet() or (current.choice, current.font_choice) != ("light", "automatic"):
        theme.apply(app, "light")
