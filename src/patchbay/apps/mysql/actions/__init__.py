"""Actions for the rows of a table."""
