"""Runs: the position of a run, its steps, attempts, and limits, and its effects on other runs."""
