"""The app's actions, one file each."""
