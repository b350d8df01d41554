"""Actions for calendars."""
