import pytest
from PySide6.QtWidgets import QApplication
from tests.support.desktop import services
from tests.support.fake_backend import FakeBackend
from tests.support.light_theme import apply_light_theme


@pytest.fixture(autouse=True)
def _light(qapp: QApplication) -> None:
    apply_light_theme(qapp)


@pytest.fixture
def backend():
    return FakeBackend(executions=0)


@pytest.fixture
def around(tasks, backend):
    return services(tasks, backend)
