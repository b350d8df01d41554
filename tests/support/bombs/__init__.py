"""Malicious inputs, by what reads them: each must be handled in time and memory that its size explains."""
