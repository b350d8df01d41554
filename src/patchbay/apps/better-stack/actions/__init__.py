"""Actions for incidents."""
