"""Loaders for the inputs of the selected transform."""
