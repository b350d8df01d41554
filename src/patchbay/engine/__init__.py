"""Runs flows: accept, claim, run, delay, schedule, poll, webhook intake, recover. Imports neither SQL nor Qt."""
