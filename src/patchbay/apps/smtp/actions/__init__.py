"""Actions for mail."""
