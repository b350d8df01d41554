"""The HTTP client handed to apps: base address, hooks, limits, and errors in the third party's own words."""
