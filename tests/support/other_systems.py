"""Modules of the program as they are on other systems, with calls of the system that are answered here."""

import ctypes
import importlib.util
import sys
from types import ModuleType
from typing import Any, cast


class Library:
    """A library of Windows. Calls are recorded; those without an answer of their own return 1."""

    def __init__(self, answers: dict[str, Any]) -> None:
        self._functions = {name: Function(name, answer, self) for name, answer in answers.items()}
        self.calls: list[tuple[str, tuple[Any, ...]]] = []

    def __getattr__(self, name: str) -> "Function":
        return self._functions.setdefault(name, Function(name, 1, self))

    def called(self) -> list[str]:
        """The names of the functions that were called, in order."""
        return [name for name, _ in self.calls]


class Function:
    """A function of a library. Its answer is a value, or computed from the arguments."""

    def __init__(self, name: str, answer: Any, library: Library) -> None:
        self._name, self._answer, self._library = name, answer, library

    def __call__(self, *arguments: Any) -> Any:
        self._library.calls.append((self._name, arguments))
        return self._answer(*arguments) if callable(self._answer) else self._answer


def module_of(monkeypatch, name: str, system: str) -> ModuleType:
    """A module loaded once more, as on another system (“win32”, “darwin”)."""
    monkeypatch.setattr(sys, "platform", system)
    spec = importlib.util.find_spec(name)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, module)  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def windows_module(monkeypatch, name: str, library: Library | None = None) -> ModuleType:
    """A module as on Windows. The system's last error is “access denied” (5)."""
    monkeypatch.setattr(ctypes, "WinDLL", lambda *_, **__: library, raising=False)
    monkeypatch.setattr(ctypes, "get_last_error", lambda: 5, raising=False)
    monkeypatch.setattr(ctypes, "WinError", windows_error, raising=False)
    return module_of(monkeypatch, name, "win32")


def windows_error(code: int) -> OSError:
    """An error as Python raises it on Windows."""
    error: Any = PermissionError(13, "Access is denied")
    error.winerror = code
    return cast(OSError, error)
