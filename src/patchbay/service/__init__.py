"""The operations of a workspace and their rules, over storage, engine and integration."""
