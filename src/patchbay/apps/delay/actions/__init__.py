"""The delay actions."""
