"""The fields for a pattern to replace."""

from collections.abc import Sequence

from patchbay.integration import YES_NO, Argument, Context, DynamicFields, dropdown
from patchbay.integration.values import as_bool


async def load(ctx: Context) -> Sequence[Argument]:
    """The options of a regular expression."""
    if not as_bool(ctx.parameters.get("useRegex")):
        return ()
    return (dropdown("ignoreCase", "Ignore case", YES_NO, required=True, value=False),)


list_replace_regex_options = DynamicFields(key="listReplaceRegexOptions", load=load)
