"""Shared by all screens, without widgets: the open workspace, apps, changes, navigation, notices, labels."""
