"""View-models of the Templates tab. QtCore only, no widget."""
