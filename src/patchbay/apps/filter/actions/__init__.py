"""The filter action."""
