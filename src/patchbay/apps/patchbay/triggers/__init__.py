"""Triggers that start flows from other flows."""
