"""One run from its cursor to its end: where it is, its steps, tries and limits, what it does to others."""
