"""The My Apps tab: connect apps, see how connections are, test and renew them."""

from patchbay.desktop.ui.my_apps.tab import MyAppsTab

__all__ = ["MyAppsTab"]
