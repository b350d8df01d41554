"""The filter actions."""
