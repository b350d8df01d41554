"""What the screens share without widgets: the open workspace, its apps and changes, navigation, notices, labels."""
