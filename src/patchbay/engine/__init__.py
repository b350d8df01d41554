"""Runs flows: triggers, webhooks, schedules, delays, retries, and recovery. Imports neither SQL nor Qt."""
