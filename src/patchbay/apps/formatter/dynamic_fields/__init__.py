"""Loaders of the inputs of the chosen transform."""
