"""View-models of the My Apps tab. QtCore only, no widget."""
