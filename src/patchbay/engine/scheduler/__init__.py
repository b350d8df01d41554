"""When things start: the one timer, and the arithmetic of cron lines."""
