"""The settings dialog and its pages, and the audit log."""
