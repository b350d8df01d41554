"""Loaders of dropdown options."""
