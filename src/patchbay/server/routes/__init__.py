"""One module per resource: each endpoint reads its input, asks the Backend and wraps the answer."""
