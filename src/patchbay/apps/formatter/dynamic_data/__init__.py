"""Loaders of what the editor shows while a transform is edited."""
