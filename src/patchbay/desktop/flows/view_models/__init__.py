"""View-models of the Flows tab. QtCore only, no widget."""
