"""Actions to read and write values."""
