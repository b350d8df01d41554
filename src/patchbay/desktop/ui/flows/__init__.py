"""The Flows tab: the list of flows, and the editor of one."""

from patchbay.desktop.ui.flows.tab import FlowsTab

__all__ = ["FlowsTab"]
