"""The Templates tab."""

from patchbay.desktop.ui.templates.tab import TemplatesTab

__all__ = ["TemplatesTab"]
