"""The light theme for tests that show widgets."""

from PySide6.QtWidgets import QApplication

from patchbay.desktop.kit import theme


def apply_light_theme(app: QApplication) -> None:
    """Switch to the light theme, unless it is set: a switch takes a tenth of a second."""
    current = theme.theme()
    if current.generation == 0 or (current.choice, current.font_choice) != ("light", "automatic"):
        theme.apply(app, "light")
