"""The frame of the window: header, tabs, status bar, command palette, welcome page."""
