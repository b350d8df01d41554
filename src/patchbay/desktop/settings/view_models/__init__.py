"""View-models of the settings. QtCore only, no widget."""
