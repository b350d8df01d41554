"""One action for texts, one for numbers, one for dates; each offers the transforms of its kind."""
