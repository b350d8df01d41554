"""What flows do for one another."""
