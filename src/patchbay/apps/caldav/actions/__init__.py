"""What can be done in a calendar."""
