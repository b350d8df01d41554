"""The HTTP API over a Backend, the webhook addresses, and the listener that serves both."""
