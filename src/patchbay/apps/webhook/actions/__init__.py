"""The response to the caller."""
