"""The Folders tab."""
