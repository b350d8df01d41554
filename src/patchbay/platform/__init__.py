"""What the program needs of the machine: folders, settings, keyring, logs, crash reports, locks, clock."""
