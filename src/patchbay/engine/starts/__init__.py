"""How runs begin: webhooks, polls, schedules, and the hooks of third parties."""
