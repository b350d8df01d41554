"""How runs begin: webhooks, polls, schedules, watches, and webhooks registered at third parties."""
