"""Three actions, for text, numbers, and dates, each with its transforms."""
