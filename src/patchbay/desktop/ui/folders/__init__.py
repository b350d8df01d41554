"""The Folders tab."""

from patchbay.desktop.ui.folders.tab import FoldersTab

__all__ = ["FoldersTab"]
