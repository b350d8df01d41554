"""View-models of the frame. QtCore only, no widget."""
