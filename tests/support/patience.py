"""How long tests wait for something that must happen: a multiple of what a busy machine takes.

It bounds only the failure of a test: waits end as soon as what they wait for is there. It is less than the 30
seconds after which the engine looks for itself, a webhook stops waiting for its flow, and the server gives up
on a head or a body: a test with a longer bound would pass although a wake-up was lost or a limit ignored.
"""

PATIENCE = 25.0
"""Seconds."""
PATIENCE_MS = 25_000
STARTING = 60.0
"""Seconds in which a process must have started, or ended after it was told to."""
