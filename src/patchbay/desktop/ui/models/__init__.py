"""Item models that several tabs share."""

from patchbay.desktop.ui.models.windowed import ITEM_ROLE, Column, WindowedModel

__all__ = ["ITEM_ROLE", "Column", "WindowedModel"]
