"""Reusable widgets, independent of any screen."""
