"""Actions for messages."""
