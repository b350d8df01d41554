"""Ways a call starts a flow."""
