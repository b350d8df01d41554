"""Requests to any address."""
