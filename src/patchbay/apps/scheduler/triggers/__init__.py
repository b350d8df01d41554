"""The triggers of the scheduler."""
