"""What starts a flow."""
