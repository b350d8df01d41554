"""Actions, one module for each kind of record."""
