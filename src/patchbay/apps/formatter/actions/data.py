"""The action that parses and makes JSON, CSV, XML, lists, and texts from templates."""

from ..transform_action import transform_action
from ..transforms.data import DATA

data = transform_action(
    "data",
    "Data",
    "Parses and makes JSON, CSV, XML, and lists, and fills in templates.",
    DATA,
    (
        "change",
        "table",
        "spreadsheet",
        "parse",
        "sort",
        "count",
        "template",
        "convert",
    ),
)
