"""Phone numbers for dropdowns."""

from patchbay.integration import option_list

list_numbers = option_list("listNumbers", "/v2/numbers", label="{number}", value="{number}")
