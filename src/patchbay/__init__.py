"""Patchbay: workflow automation in one program."""

__version__ = "0.1.0"
