"""What can be done with watches."""
