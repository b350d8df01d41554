"""Runs flows: accept, claim, run, delay, schedule, poll, webhook intake, recover. Knows no SQL and no Qt."""
