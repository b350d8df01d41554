"""Filter: continues a run only if conditions match, or a key hasn't passed yet."""

from patchbay.integration import App

from .actions.continue_if_matches import continue_if_matches
from .actions.continue_only_once import continue_only_once

app = App(
    name="Filter",
    key="filter",
    primary_color="#001F52",
    description="Continue a flow only if conditions match, or only once per key.",
    category="Built in",
    keywords=("condition", "if"),
    actions=[continue_if_matches, continue_only_once],
)
