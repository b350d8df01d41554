"""Formatter: transforms text, numbers, and dates."""

from patchbay.integration import App

from .actions.data import data
from .actions.date_time import date_time
from .actions.numbers import numbers
from .actions.text import text
from .dynamic_data.preview_transform import preview_transform
from .dynamic_fields.list_replace_regex_options import list_replace_regex_options
from .dynamic_fields.list_transform_options import list_transform_options

app = App(
    name="Formatter",
    key="formatter",
    primary_color="#001F52",
    description="Transform text, numbers, dates, and data.",
    category="Built in",
    keywords=("text", "number", "date", "convert"),
    actions=[text, numbers, date_time, data],
    dynamic_data=[preview_transform],
    dynamic_fields=[list_transform_options, list_replace_regex_options],
)
