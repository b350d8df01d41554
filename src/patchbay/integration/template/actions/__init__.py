"""What can be done: one file for each action."""
