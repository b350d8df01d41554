"""The transforms: pure functions by topic, and the three tables that list them."""
