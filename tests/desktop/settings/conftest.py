import pytest
from PySide6.QtWidgets import QApplication
from tests.support.desktop import services
from tests.support.fake_backend import FakeBackend

from patchbay.desktop.kit import theme


@pytest.fixture(autouse=True)
def _light(qapp: QApplication) -> None:
    theme.apply(qapp, "light")


@pytest.fixture
def backend():
    return FakeBackend(executions=0)


@pytest.fixture
def around(tasks, backend):
    return services(tasks, backend)
