"""What depends on the operating system: folders, settings, keyring, logs, crash reports, locks, clock."""
