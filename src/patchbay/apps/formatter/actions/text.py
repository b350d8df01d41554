"""The action “Text”."""

from ..transform_action import transform_action
from ..transforms.text import TEXT

text = transform_action(
    "text",
    "Text",
    "Transforms text.",
    TEXT,
    (
        "change",
        "edit",
        "uppercase",
        "upper case",
        "capital letters",
        "lowercase",
        "lower case",
        "title case",
        "trim",
        "replace",
        "split",
        "join",
        "extract",
        "shorten",
    ),
)
