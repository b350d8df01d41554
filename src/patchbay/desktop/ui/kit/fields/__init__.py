"""Field editors of generated forms."""

from patchbay.desktop.ui.kit.fields.base import FieldEditor, FieldHost
from patchbay.desktop.ui.kit.fields.registry import make_editor

__all__ = ["FieldEditor", "FieldHost", "make_editor"]
