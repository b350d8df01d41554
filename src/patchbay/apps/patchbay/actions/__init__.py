"""Actions between flows."""
