"""View-models of the Executions tab. QtCore only, no widget."""
