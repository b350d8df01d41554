"""What can be done with messages."""
