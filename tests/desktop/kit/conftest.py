import pytest
from PySide6.QtWidgets import QApplication
from tests.support.light_theme import apply_light_theme


@pytest.fixture(autouse=True)
def _light(qapp: QApplication) -> None:
    apply_light_theme(qapp)
