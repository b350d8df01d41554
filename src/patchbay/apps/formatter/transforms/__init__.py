"""The transforms: pure functions by topic, and three tables that offer them."""
