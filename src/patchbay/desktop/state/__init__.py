"""Stores and view-models: what each screen shows and may do. QtCore only, no widget."""
