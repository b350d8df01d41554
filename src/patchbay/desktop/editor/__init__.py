"""The flow editor: steps, form, test, publish."""
