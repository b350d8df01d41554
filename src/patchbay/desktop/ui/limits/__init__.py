"""Limits of calls, of a connection and of an app: their fields and dialogs."""
