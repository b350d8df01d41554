"""Key combinations: what is accepted, how it is written, and what an error says."""

import pytest

from patchbay.domain.errors import ValidationFailed
from patchbay.domain.hot_keys import HotKey, parse_hot_key


@pytest.mark.parametrize(
    ("entered", "written"),
    [
        ("Ctrl+Alt+P", "Ctrl+Alt+P"),
        ("  alt + CTRL+p ", "Ctrl+Alt+P"),
        ("Strg+Umschalt+1", "Ctrl+Shift+1"),
        ("cmd+option+space", "Alt+Meta+Space"),
        ("win+pgdn", "Meta+PageDown"),
        ("control+return", "Ctrl+Enter"),
        ("f9", "F9"),
        ("Shift+F24", "Shift+F24"),
    ],
)
def test_a_combination_is_always_written_in_the_same_way(entered: str, written: str) -> None:
    assert parse_hot_key(entered).text == written


def test_the_modifiers_and_the_key_are_told_apart() -> None:
    assert parse_hot_key("meta+ctrl+x") == HotKey(("Ctrl", "Meta"), "X")


@pytest.mark.parametrize(
    ("entered", "said"),
    [
        ("", "No keys"),
        ("   ", "No keys"),
        ("P", "no Ctrl, Alt, or Meta"),
        ("Shift+P", "no Ctrl, Alt, or Meta"),
        ("Space", "no Ctrl, Alt, or Meta"),
        ("Ctrl+Alt", "no key besides"),
        ("Ctrl+A+B", "more than one key"),
        ("Ctrl+Control+A", "same key twice"),
        ("Ctrl+A+A", "same key twice"),
        ("Ctrl+", "A key is missing"),
        ("Ctrl++", "A key is missing"),
        ("Ctrl+F25", "“F25” isn't a key"),
        ("Ctrl+é", "“é” isn't a key"),
        ("Ctrl Alt P", "isn't a key"),
        ("Ctrl+" + "A" * 60, "too long"),
    ],
)
def test_what_is_no_combination_is_rejected_with_the_reason(entered: str, said: str) -> None:
    with pytest.raises(ValidationFailed, match=said) as caught:
        parse_hot_key(entered)

    assert caught.value.todo
    assert said in caught.value.by_field["keys"][0]
