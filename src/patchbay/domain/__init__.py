"""Data types and rules that all packages share. No I/O, and no imports from other packages of Patchbay."""
