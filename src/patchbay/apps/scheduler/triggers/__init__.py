"""Times at which a flow starts."""
