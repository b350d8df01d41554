"""Loaders of flows for dropdowns."""
