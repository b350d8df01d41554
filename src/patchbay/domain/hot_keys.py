"""Global key combinations, such as Ctrl+Alt+P, as people enter them and as they are always written."""

from typing import NamedTuple

from patchbay.domain.errors import ValidationFailed

MAX_ENTERED_LENGTH = 60
MAX_FUNCTION_KEY = 24
MODIFIERS = ("Ctrl", "Alt", "Shift", "Meta")
"""In the order in which they are written. Meta is the Windows key, and Command on a Mac."""
NAMED_KEYS = (
    "Space",
    "Tab",
    "Enter",
    "Escape",
    "Backspace",
    "Delete",
    "Insert",
    "Home",
    "End",
    "PageUp",
    "PageDown",
    "Left",
    "Right",
    "Up",
    "Down",
)
_ALIASES = {
    "control": "Ctrl",
    "strg": "Ctrl",
    "option": "Alt",
    "opt": "Alt",
    "umschalt": "Shift",
    "super": "Meta",
    "win": "Meta",
    "windows": "Meta",
    "cmd": "Meta",
    "command": "Meta",
    "return": "Enter",
    "esc": "Escape",
    "del": "Delete",
    "ins": "Insert",
    "pgup": "PageUp",
    "pgdown": "PageDown",
    "pgdn": "PageDown",
}
_FUNCTION_KEYS = tuple(f"F{number}" for number in range(1, MAX_FUNCTION_KEY + 1))
_LETTERS_AND_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
_KEYS = (*_LETTERS_AND_DIGITS, *_FUNCTION_KEYS, *NAMED_KEYS)
_NAMES: dict[str, str] = {name.casefold(): name for name in (*MODIFIERS, *_KEYS)} | _ALIASES
_EXAMPLES = "such as Ctrl+Alt+P or F9"


class HotKey(NamedTuple):
    """A key with the modifiers that are held, in the order of `MODIFIERS`."""

    modifiers: tuple[str, ...]
    key: str

    @property
    def text(self) -> str:
        """How the combination is always written: `Ctrl+Alt+P`."""
        return "+".join((*self.modifiers, self.key))


def parse_hot_key(entered: str, field: str = "keys") -> HotKey:
    """The combination that was entered. Raises `ValidationFailed`, with the message at `field`."""
    text = entered.strip()
    if not text:
        raise _invalid(field, "No keys are entered", f"Enter a combination, {_EXAMPLES}.")
    if len(text) > MAX_ENTERED_LENGTH:
        raise _invalid(field, "The combination is too long", f"Enter one, {_EXAMPLES}.")
    names = [_known_name(part, field) for part in text.split("+")]
    modifiers = tuple(name for name in MODIFIERS if name in names)
    keys = [name for name in names if name not in MODIFIERS]
    if len(set(names)) < len(names):
        raise _invalid(field, f"“{text}” has the same key twice", f"Enter each key once, {_EXAMPLES}.")
    if len(keys) != 1:
        problem = "has no key besides Ctrl, Alt, Shift, and Meta" if not keys else "has more than one key"
        raise _invalid(field, f"“{text}” {problem}", f"Combine modifiers with exactly one key, {_EXAMPLES}.")
    if not set(modifiers) - {"Shift"} and keys[0] not in _FUNCTION_KEYS:
        raise _invalid(
            field,
            f"“{text}” has no Ctrl, Alt, or Meta",
            "Add at least one of them, or use a function key: other programs need this key to type.",
        )
    return HotKey(modifiers, keys[0])


def _known_name(part: str, field: str) -> str:
    name = part.strip()
    if not name:
        raise _invalid(field, "A key is missing beside “+”", f"Separate keys with +, {_EXAMPLES}.")
    if (known := _NAMES.get(name.casefold())) is None:
        possible = f"letters, digits, F1 to F{MAX_FUNCTION_KEY}, {', '.join(NAMED_KEYS)}"
        raise _invalid(field, f"“{name}” isn't a key that Patchbay knows", f"Possible keys: {possible}.")
    return known


def _invalid(field: str, happened: str, todo: str) -> ValidationFailed:
    return ValidationFailed({field: [f"{happened}. {todo}"]}, happened=f"{happened}.", todo=todo)
