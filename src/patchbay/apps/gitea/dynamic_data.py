"""Repositories and labels for dropdowns."""

from collections.abc import Sequence

from patchbay.integration import Context, DynamicData, Option, option_list, page_numbers
from patchbay.integration.values import as_bool

from .repositories import of_repository

_LIMIT = {"limit": 50}

list_repos = option_list(
    "listRepos", "/user/repos", label="{full_name}", value="{full_name}", query=_LIMIT, pages=page_numbers()
)

_BY_NAME, _BY_ID = (
    option_list(
        "listLabels",
        of_repository("/labels"),
        value=value,
        query=_LIMIT,
        pages=page_numbers(),
        requires=("repo",),
    )
    for value in ("{name}", "{id}")
)


async def _load_labels(ctx: Context) -> Sequence[Option]:
    """Labels by name, as filters take them, or by ID, as new issues do."""
    return await (_BY_ID if as_bool(ctx.parameters.get("showLabelId")) else _BY_NAME).load(ctx)


list_labels = DynamicData(key="listLabels", load=_load_labels)
