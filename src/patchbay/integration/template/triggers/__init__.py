"""Triggers: what starts a flow, one file each."""
