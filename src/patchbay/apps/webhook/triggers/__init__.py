"""How a request starts a flow."""
