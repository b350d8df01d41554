"""The window. Only this package and the tour import Qt."""
