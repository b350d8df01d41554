"""What can be done with the rows of a table."""
