"""The tabs of the window. Their modules are loaded when first shown, or in the background after the frame;
so are those of the settings.
"""

from collections.abc import Mapping

from patchbay.desktop.state.navigation import Tab
from patchbay.desktop.state.services import Services
from patchbay.desktop.ui.kit.tab import TabView
from patchbay.desktop.ui.shell.work_area import TabFactory


def _flows(services: Services) -> TabView:
    from patchbay.desktop.ui.flows import FlowsTab

    return FlowsTab(services)


def _executions(services: Services) -> TabView:
    from patchbay.desktop.ui.executions import ExecutionsTab

    return ExecutionsTab(services)


def _folders(services: Services) -> TabView:
    from patchbay.desktop.ui.folders import FoldersTab

    return FoldersTab(services)


def _templates(services: Services) -> TabView:
    from patchbay.desktop.ui.templates import TemplatesTab

    return TemplatesTab(services)


def _my_apps(services: Services) -> TabView:
    from patchbay.desktop.ui.my_apps import MyAppsTab

    return MyAppsTab(services)


TABS: Mapping[Tab, TabFactory] = {
    Tab.FLOWS: _flows,
    Tab.EXECUTIONS: _executions,
    Tab.FOLDERS: _folders,
    Tab.TEMPLATES: _templates,
    Tab.MY_APPS: _my_apps,
}


def load_tabs() -> None:
    """Load what the other tabs and the settings are made of, so that the first click on each shows it."""
    from patchbay.desktop.ui import executions, folders, my_apps, templates
    from patchbay.desktop.ui.access import audit_dialog
    from patchbay.desktop.ui.flows.editor import page
    from patchbay.desktop.ui.shell import settings

    _ = audit_dialog, executions, folders, my_apps, page, settings, templates
