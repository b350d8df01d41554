"""Which page of the documentation is about which screen."""

from typing import TYPE_CHECKING

from patchbay.desktop.core.navigation import Tab
from patchbay.desktop.shell.view_models.help_pages import START

if TYPE_CHECKING:
    from patchbay.desktop.shell.work_area import WorkArea

WELCOME_PAGE = "get-started/install.md"
TAB_PAGES = {
    Tab.FLOWS: "get-started/first-flow.md",
    Tab.EXECUTIONS: "guides/run-control.md",
    Tab.FOLDERS: "guides/history.md",
    Tab.TEMPLATES: "guides/templates.md",
    Tab.MY_APPS: "get-started/connect-an-app.md",
}
SETTINGS_PAGES = {
    "General": "guides/background.md",
    "Appearance": "reference/settings-file.md",
    "Language and formats": "guides/language.md",
    "Engine": "guides/history.md",
    "Notifications": "guides/notifications.md",
    "Connections": "get-started/connect-an-app.md",
    "Secrets": "explanation/secrets.md",
    "Server": "operate/serve.md",
    "People": "guides/people.md",
    "API keys": "reference/permissions.md",
    "Audit log": "reference/permissions.md",
    "Data": "operate/backup.md",
    "About": START,
}
"""By the English title of the section."""


def page_for_window(area: "WorkArea | None") -> str:
    """The page about what is shown: the selected step in the editor, the tab, or the welcome page."""
    if area is None:
        return WELCOME_PAGE
    return (area.view.help_page if area.view else None) or TAB_PAGES[area.tab]


def page_for_settings(title: str) -> str:
    """The page about a section of the settings."""
    return SETTINGS_PAGES.get(title, START)
