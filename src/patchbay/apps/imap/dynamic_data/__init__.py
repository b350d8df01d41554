"""Lists for dropdowns."""
