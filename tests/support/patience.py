"""How long tests wait for something that must happen: longer than any busy machine takes.

It bounds only the failure of a test: waits end as soon as what they wait for is there.
"""

PATIENCE = 60.0
"""Seconds."""
PATIENCE_MS = 60_000
ENGINE_PATIENCE = 25.0
"""Less than the 30 seconds after which the engine looks for itself, so that a lost wake-up still shows."""
