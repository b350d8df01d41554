"""One file per noun: functions over an open transaction, so that a rule and its writes share one commit."""
