"""The app's triggers, one file each."""
