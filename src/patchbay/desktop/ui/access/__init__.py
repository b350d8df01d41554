"""Who may come in and what was done: pages of the settings, their dialogs, the audit log."""
