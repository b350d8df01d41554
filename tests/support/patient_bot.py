"""pytest-qt's bot, whose waits last as long as a busy machine needs, instead of five seconds."""

from typing import Any

from pytestqt.qtbot import QtBot
from tests.support.patience import PATIENCE_MS


class PatientBot(QtBot):
    """Only a test that fails takes that long: each wait ends as soon as what it waits for is there."""

    def waitUntil(self, callback: Any, *, timeout: int = PATIENCE_MS) -> None:
        super().waitUntil(callback, timeout=timeout)

    def waitSignal(self, signal: Any, *, timeout: int = PATIENCE_MS, **more: Any) -> Any:
        return super().waitSignal(signal, timeout=timeout, **more)

    def waitSignals(self, signals: Any, *, timeout: int = PATIENCE_MS, **more: Any) -> Any:
        return super().waitSignals(signals, timeout=timeout, **more)

    @staticmethod
    def mouseDClick(*arguments: Any, **more: Any) -> None:
        """Let the button go: Qt leaves it down, and the next move in any test begins to drag."""
        QtBot.mouseDClick(*arguments, **more)
        QtBot.mouseRelease(*arguments, **more)
