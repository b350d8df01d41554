"""What a filter does."""
