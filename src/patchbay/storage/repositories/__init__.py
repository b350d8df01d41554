"""One module per resource: functions over an open transaction, so that a check and its writes share it."""
