"""How a run waits."""
