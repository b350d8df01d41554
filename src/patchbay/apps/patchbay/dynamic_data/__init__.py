"""Flows to choose."""
