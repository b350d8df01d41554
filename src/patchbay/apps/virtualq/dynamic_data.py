"""Lines and waiters for dropdowns."""

from patchbay.integration import option_list

list_lines = option_list("listLines", "/v2/lines", at="data", label="{attributes.name}")
list_waiters = option_list(
    "listWaiters", "/v2/waiters", at="data", label="{attributes.phone} @ {attributes.channel}"
)
