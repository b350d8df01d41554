"""Triggers that send requests to any URL."""
