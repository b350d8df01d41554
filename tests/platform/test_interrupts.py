"""Ctrl+C, and Ctrl+Break on Windows."""

import signal

from patchbay.cli import serve
from patchbay.platform.exit_watchdog import ExitWatchdog
from patchbay.platform.interrupts import interrupt_signals


def test_other_systems_have_only_ctrl_c():
    assert interrupt_signals() == (signal.SIGINT,)


async def test_ctrl_break_stops_a_server(monkeypatch):
    numbers = (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1)
    before = {number: signal.getsignal(number) for number in numbers}
    monkeypatch.setattr(signal, "SIGBREAK", signal.SIGUSR1, raising=False)
    monkeypatch.setattr(ExitWatchdog, "arm", lambda *_: None)
    try:
        stop = serve.StopSignal()
        signal.raise_signal(signal.SIGUSR1)

        assert await stop.wait() == serve.INTERRUPTED
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
