import pytest
from PySide6.QtWidgets import QApplication

from patchbay.desktop.kit import theme


@pytest.fixture(autouse=True)
def _light(qapp: QApplication) -> None:
    theme.apply(qapp, "light")
