"""Actions that send requests to any URL."""
