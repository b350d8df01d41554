"""View-models of the flow editor. QtCore only, no widget."""
