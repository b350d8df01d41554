"""The contract for app authors: how an app describes itself, and what it is handed when it runs."""
