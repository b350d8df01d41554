"""Links of the form `patchbay://…`, with which other programs open a place in the window."""

import re
from urllib.parse import unquote, urlsplit

from patchbay.desktop.core.navigation import Place, Tab

SCHEME = "patchbay"
MAX_LENGTH = 2_048
_TABS = {
    "flows": Tab.FLOWS,
    "executions": Tab.EXECUTIONS,
    "folders": Tab.FOLDERS,
    "templates": Tab.TEMPLATES,
    "apps": Tab.MY_APPS,
}
_WITH_ID = (Tab.FLOWS, Tab.EXECUTIONS, Tab.MY_APPS)
_ID = re.compile(r"[A-Za-z0-9-]{1,64}")


def is_link(text: str) -> bool:
    """Whether the text is a link of this scheme, known or not."""
    return text.lower().startswith(f"{SCHEME}:")


def place_of_link(link: str) -> Place | None:
    """The place that a link opens; None if there is no such link. Links never change or run anything.

    `patchbay://flows`, `executions`, `folders`, `templates`, and `apps` open a tab; `patchbay://flows/ID`,
    `patchbay://executions/ID`, and `patchbay://apps/KEY` open one item of it.
    """
    if len(link) > MAX_LENGTH:
        return None
    try:
        parts = urlsplit(link)
    except ValueError:
        return None
    tab = _TABS.get(parts.netloc.lower())
    item = unquote(parts.path.strip("/"))
    if parts.scheme != SCHEME or tab is None or parts.query or parts.fragment:
        return None
    if not item:
        return Place(tab)
    if tab not in _WITH_ID or not _ID.fullmatch(item):
        return None
    return Place(tab, id=item, section="editor" if tab is Tab.FLOWS else None)
