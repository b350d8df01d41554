"""One module per resource: each endpoint reads its input, calls the backend, and wraps the response."""
