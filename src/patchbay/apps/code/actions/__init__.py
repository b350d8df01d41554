"""One action per language."""
