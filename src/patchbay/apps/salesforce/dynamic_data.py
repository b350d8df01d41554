"""Objects and their fields for dropdowns."""

from patchbay.integration import option_list

list_objects = option_list(
    "listObjects", "/services/data/v56.0/sobjects", at="sobjects", label="{label}", value="{name}"
)
list_fields = option_list(
    "listFields",
    "/services/data/v56.0/sobjects/{object}/describe",
    at="fields",
    label="{label}",
    value="{name}",
)
