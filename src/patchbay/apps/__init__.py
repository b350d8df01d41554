"""The built-in apps, one folder each, named by the app's key."""
