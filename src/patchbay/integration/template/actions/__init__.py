"""Actions: what a step of this app can do, one file each."""
