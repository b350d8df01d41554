"""Filter: continues a run only if conditions match."""

from patchbay.integration import App

from .actions.continue_if_matches import continue_if_matches

app = App(
    name="Filter",
    key="filter",
    primary_color="#001F52",
    description="Continue a flow only if conditions match.",
    category="Built in",
    actions=[continue_if_matches],
)
