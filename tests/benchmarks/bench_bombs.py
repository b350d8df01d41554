"""How long the health check takes while the service deals with malicious requests, webhooks and steps."""

from functools import partial

from tests.benchmarks.lines import Line, folder, line
from tests.support.bombing import shooting_range
from tests.support.bombs import interface, steps, webhooks
from tests.support.pinging import p99, percentile


def bench_bombs() -> list[Line]:
    """Milliseconds that a client waits which asks every 20 ms, over the whole collection."""
    with folder() as place, shooting_range(place) as target:
        acts = (
            {
                name: partial(target.request, bomb)
                for name, bomb in (interface.BODIES | interface.RUNS).items()
            }
            | {name: partial(target.webhook, bomb) for name, bomb in webhooks.BODIES.items()}
            | {name: partial(target.step, bomb) for name, bomb in steps.STEPS.items()}
        )
        hits = [target.fire(name, act) for name, act in acts.items()]
    waits = [wait for hit in hits for wait in hit.waits]
    worst = max(hits, key=lambda hit: max(hit.waits, default=0.0))
    detail = {"bombs": len(hits), "pings": len(waits), "worst_ms": round(max(waits)), "worst": worst.name}
    return [
        line("health_check_under_bombs_p50", percentile(waits, 50), "ms", **detail),
        line("health_check_under_bombs_p99", p99(waits), "ms", **detail),
    ]


if __name__ == "__main__":
    bench_bombs()
