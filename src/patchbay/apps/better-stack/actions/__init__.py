"""What can be done with incidents."""
