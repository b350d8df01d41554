"""Widgets without knowledge of any screen."""
