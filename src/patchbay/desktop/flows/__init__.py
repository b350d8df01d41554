"""The Flows tab: the list of flows, and the way into the editor."""
