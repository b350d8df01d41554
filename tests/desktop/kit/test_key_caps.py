"""The key caps of shortcuts."""

import pytest

from patchbay.desktop.kit import shortcuts


@pytest.mark.parametrize(
    ("keys", "native", "caps"),
    [
        ("Alt+Left", "Alt+Left", ["Alt", "←"]),
        ("Alt+Left", "Alt+Links", ["Alt", "←"]),
        ("Ctrl+Return", "Strg+Return", ["Strg", "Enter"]),
        ("Ctrl+K", "⌘K", ["⌘K"]),
    ],
    ids=["English", "German", "a key of its own name", "macOS"],
)
def test_arrows_are_arrows_in_every_language(monkeypatch, keys, native, caps):
    monkeypatch.setattr(shortcuts, "native_text", lambda _: native)

    assert shortcuts.caps_of(keys) == caps
