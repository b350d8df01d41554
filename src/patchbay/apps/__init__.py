"""The built-in apps, one folder each, named after the app's key."""
