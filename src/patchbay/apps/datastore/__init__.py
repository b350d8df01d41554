"""Datastore: values that a flow stores between its runs."""

from patchbay.integration import App

from .actions.get_value import get_value
from .actions.set_value import set_value

app = App(
    name="Datastore",
    key="datastore",
    primary_color="#001F52",
    description="Store values between runs of a flow.",
    category="Built in",
    keywords=("key-value", "storage", "remember"),
    actions=[get_value, set_value],
)
