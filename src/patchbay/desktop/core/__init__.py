"""What all screens use, without widgets: the open workspace, apps, changes, navigation, notices, labels."""
