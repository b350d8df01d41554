"""The signals by which a user interrupts a program."""

import signal


def interrupt_signals() -> tuple[signal.Signals, ...]:
    """Ctrl+C, and on Windows also Ctrl+Break, which is what arrives if the console window is closed."""
    ctrl_break: signal.Signals | None = getattr(signal, "SIGBREAK", None)
    return (signal.SIGINT,) if ctrl_break is None else (signal.SIGINT, ctrl_break)
