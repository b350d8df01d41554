"""The Executions tab."""

from patchbay.desktop.ui.executions.tab import ExecutionsTab

__all__ = ["ExecutionsTab"]
