"""The frame of the window: header, tabs, status bar, command palette, and welcome page."""
