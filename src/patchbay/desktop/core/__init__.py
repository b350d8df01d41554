"""What the screens share without widgets: the open workspace, apps, changes, navigation, notices, labels."""
