"""The tabs of the window, whose modules are imported when first shown, or once the window is used."""

from collections.abc import Mapping

from patchbay.desktop.core.navigation import Tab
from patchbay.desktop.core.services import Services
from patchbay.desktop.kit.tab_view import TabView
from patchbay.desktop.shell.work_area import TabFactory


def _flows(services: Services) -> TabView:
    from patchbay.desktop.flows.tab import FlowsTab

    return FlowsTab(services)


def _executions(services: Services) -> TabView:
    from patchbay.desktop.executions.tab import ExecutionsTab

    return ExecutionsTab(services)


def _folders(services: Services) -> TabView:
    from patchbay.desktop.folders.tab import FoldersTab

    return FoldersTab(services)


def _templates(services: Services) -> TabView:
    from patchbay.desktop.templates.tab import TemplatesTab

    return TemplatesTab(services)


def _my_apps(services: Services) -> TabView:
    from patchbay.desktop.my_apps.tab import MyAppsTab

    return MyAppsTab(services)


TABS: Mapping[Tab, TabFactory] = {
    Tab.FLOWS: _flows,
    Tab.EXECUTIONS: _executions,
    Tab.FOLDERS: _folders,
    Tab.TEMPLATES: _templates,
    Tab.MY_APPS: _my_apps,
}


def load_tabs() -> None:
    """Import the modules of the other tabs and the dialogs, so that they appear at the first click."""
    from patchbay.desktop.editor import page
    from patchbay.desktop.executions import tab as executions
    from patchbay.desktop.folders import tab as folders
    from patchbay.desktop.my_apps import tab as my_apps
    from patchbay.desktop.settings import audit_log, dialog
    from patchbay.desktop.shell import command_palette, server_dialog, shortcut_sheet
    from patchbay.desktop.templates import tab as templates

    _ = audit_log, command_palette, dialog, executions, folders, my_apps, page
    _ = server_dialog, shortcut_sheet, templates
