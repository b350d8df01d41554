"""What can be done with a mail server."""
