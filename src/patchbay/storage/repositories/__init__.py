"""One module per resource: functions over an open transaction, so that a rule and its writes share one commit."""
