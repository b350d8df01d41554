"""The tabs that can be filtered: how to read their rows, and to begin with nothing filtered."""

from tests.window.driver import PatchbayWindow
from tests.window.filtering import Page, cells_of, items_of


def _flow(name: str) -> str:
    return name.partition(". ")[0]


def _app(name: str) -> str | None:
    """The name of an app; headings say nothing but a number behind theirs."""
    app, _, about = name.partition(", ")
    return app if about and not about.isdigit() else None


SEARCH = {
    "Flows": "Filter flows",
    "Executions": "Filter executions",
    "Folders": "Filter folders",
    "Templates": "Filter templates",
    "My Apps": "Filter apps",
    "Audit log": "Filter by name or person",
}
ROWS = {
    "Flows": items_of("list", "Flows", _flow),
    "Executions": cells_of("Executions", (0, 1)),
    "Folders": lambda page: [name for (name,) in cells_of("Folders", (0,))(page)[1:]],
    "Templates": items_of("list", "Templates", lambda name: name),
    "My Apps": items_of("list", "Apps", _app),
    "Audit log": cells_of("Audit log", (1,)),
}
IN_ORDER = ("Executions", "Audit log")
"""Lists whose order is part of what is compared; that of the others has a test of its own."""


def tab_page(window: PatchbayWindow, tab: str) -> Page:
    rows = ROWS[tab] if tab in IN_ORDER else lambda page: sorted(ROWS[tab](page))
    window.open_tab(tab)
    search = SEARCH[tab]
    window.wait(lambda tree: next((node for node in tree.walk() if node.name == search), None), search)
    window.rest()
    page = Page(window, tab, SEARCH[tab], rows)
    page.clear()
    return page
