"""Watches for dropdowns."""

from typing import Any

from patchbay.integration import option_list


def _rows(watches: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """The watches, which are listed by their IDs."""
    return [{**watch, "id": key} for key, watch in watches.items()]


list_watches = option_list("listWatches", "/watch", at=_rows, label="{title|page_title|url}")
