"""The action “Numbers”."""

from ..transform_action import transform_action
from ..transforms.numbers import NUMBERS

numbers = transform_action(
    "numbers",
    "Numbers",
    "Calculates and formats numbers.",
    NUMBERS,
    (
        "change",
        "calculate",
        "math",
        "add",
        "sum",
        "round",
        "currency",
        "percent",
    ),
)
