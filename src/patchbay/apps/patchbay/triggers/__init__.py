"""How flows start one another."""
