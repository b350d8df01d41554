"""View-models of the Folders tab. QtCore only, no widget."""
