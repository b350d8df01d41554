"""What the screens share: the open workspace, its apps and changes, navigation, notices, labels. QtCore only, no widget."""
