"""What can be answered to the caller."""
