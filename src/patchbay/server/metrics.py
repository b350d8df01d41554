"""The server's metrics, in the text format of Prometheus.

Counting must be cheap: a request increments a few numbers. `prometheus_client`, which is slow to import, is
loaded when the metrics are first requested.
"""

import platform
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from patchbay.domain.base import EpochMs
from patchbay.domain.engine import EngineHealth, EngineState, StorageUsage
from patchbay.domain.executions import ExecutionState
from patchbay.domain.ports import DELIVERY_HEADER
from patchbay.server.event_streams import EventStreams
from patchbay.server.webhooks import WEBHOOK_PREFIX

if TYPE_CHECKING:
    from prometheus_client.core import Metric

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Upper bounds in seconds; a last bucket without one counts everything slower."""
UNKNOWN_ROUTE = "(none)"
"""The route of requests to unknown paths."""
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_FINISHED = (
    ExecutionState.SUCCESS,
    ExecutionState.FAILURE,
    ExecutionState.FILTERED,
    ExecutionState.CANCELLED,
)


class RequestLabels(NamedTuple):
    """The labels of one request series."""

    method: str
    route: str
    status: str


class DurationHistogram:
    """Response times: a count for each bucket, and the sum in seconds."""

    __slots__ = ("counts", "total")

    def __init__(self) -> None:
        self.counts = [0] * (len(BUCKETS) + 1)
        self.total = 0.0

    def add(self, seconds: float) -> None:
        self.counts[bisect_left(BUCKETS, seconds)] += 1
        self.total += seconds


class Metrics:
    """Counts requests and webhook deliveries, and exports them with the figures of engine and database."""

    def __init__(self, version: str) -> None:
        self.version = version
        self.requests: dict[RequestLabels, DurationHistogram] = {}
        self.deliveries: Counter[str] = Counter()

    def record_request(self, kind: RequestLabels, seconds: float) -> None:
        """Count a request; `seconds` is the time to the first byte of its response."""
        durations = self.requests.get(kind)
        if durations is None:
            durations = self.requests.setdefault(kind, DurationHistogram())
        durations.add(seconds)

    def record_response(self, method: str, route: str, start: Message, seconds: float) -> None:
        """Count the response that begins with this ASGI message; `route` is the path without IDs."""
        method = method if method in _METHODS else "OTHER"
        self.record_request(RequestLabels(method, route, str(start["status"])), seconds)
        if route.startswith(f"{WEBHOOK_PREFIX}flows/") and method not in ("OPTIONS", "HEAD"):
            self.deliveries[_outcome(start)] += 1

    def text(self, health: EngineHealth, use: StorageUsage, streams: EventStreams) -> tuple[bytes, str]:
        """All metrics in the text format of Prometheus, and its content type."""
        from prometheus_client import (
            CONTENT_TYPE_LATEST,
            CollectorRegistry,
            ProcessCollector,
            generate_latest,
        )
        from prometheus_client.registry import Collector

        owner = self

        class PatchbayCollector(Collector):
            """All metrics as one collector."""

            def collect(self) -> "Iterator[Metric]":
                yield from owner._request_metrics()
                yield from _engine_metrics(health)
                yield from _workspace_metrics(use, streams.open_count, owner.version)

        registry = CollectorRegistry()
        registry.register(PatchbayCollector())
        ProcessCollector(registry=registry)
        return generate_latest(registry), CONTENT_TYPE_LATEST

    def _request_metrics(self) -> "Iterator[Metric]":
        from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily

        durations = HistogramMetricFamily(
            "patchbay_http_request_duration_seconds",
            "Time to the first byte of a response.",
            labels=RequestLabels._fields,
        )
        bounds = [*map(str, BUCKETS), "+Inf"]
        for kind, durations_of_kind in list(self.requests.items()):
            buckets = list(zip(bounds, map(float, accumulate(durations_of_kind.counts)), strict=True))
            durations.add_metric(kind, buckets, durations_of_kind.total)
        yield durations
        deliveries = CounterMetricFamily(
            "patchbay_webhook_deliveries", "Webhook requests by outcome.", labels=["outcome"]
        )
        for outcome, number in self.deliveries.items():
            deliveries.add_metric([outcome], number)
        yield deliveries


def engine_metrics_text(health: EngineHealth, version: str) -> tuple[bytes, str]:
    """The metrics of a program without an HTTP API in the text format of Prometheus, and the content type."""
    from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, ProcessCollector, generate_latest
    from prometheus_client.registry import Collector

    class EngineCollector(Collector):
        """Only what this program counts itself: the workspace is measured by servers."""

        def collect(self) -> "Iterator[Metric]":
            yield from _own_engine_metrics(health)
            yield _build_info(version)

    registry = CollectorRegistry()
    registry.register(EngineCollector())
    ProcessCollector(registry=registry)
    return generate_latest(registry), CONTENT_TYPE_LATEST


def _engine_metrics(health: EngineHealth) -> "Iterator[Metric]":
    from prometheus_client.core import GaugeMetricFamily

    yield from _own_engine_metrics(health)
    now = GaugeMetricFamily("patchbay_executions", "Unfinished executions.", labels=["state"])
    for name, number in (("queued", health.queued), ("running", health.running), ("waiting", health.waiting)):
        now.add_metric([name], number)
    yield now
    yield _age("patchbay_queue_age_seconds", "Age of the oldest queued execution.", health.oldest_queued_at)


def _own_engine_metrics(health: EngineHealth) -> "Iterator[Metric]":
    """What differs between programs that share a database."""
    from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

    finished = CounterMetricFamily(
        "patchbay_executions_finished",
        "Executions finished since the engine started.",
        labels=["state"],
    )
    for state in _FINISHED:
        finished.add_metric([state.value], health.finished.get(state, 0))
    yield finished
    states = GaugeMetricFamily("patchbay_engine_state", "1 for the state of the engine.", labels=["state"])
    for known in EngineState:
        states.add_metric([known.value], float(known is health.state))
    yield states
    yield _age("patchbay_engine_tick_age_seconds", "Time since the scheduler last ran.", health.last_tick_at)


def _age(name: str, description: str, since: EpochMs | None) -> "Metric":
    from prometheus_client.core import GaugeMetricFamily

    return GaugeMetricFamily(
        name, description, value=0.0 if since is None else max(0.0, time.time() - since / 1000)
    )


def _build_info(version: str) -> "Metric":
    from prometheus_client.core import InfoMetricFamily

    info = {"version": version, "python": platform.python_version(), "system": platform.system()}
    return InfoMetricFamily("patchbay_build", "Version and platform.", value=info)


def _workspace_metrics(use: StorageUsage, streams: int, version: str) -> "Iterator[Metric]":
    from prometheus_client.core import GaugeMetricFamily

    yield _build_info(version)
    for name, description, value in (
        ("patchbay_event_streams", "Open event streams.", streams),
        ("patchbay_database_bytes", "Size of the database on disk.", use.bytes),
        ("patchbay_database_free_bytes", "Reusable space inside the database.", use.free_bytes),
        ("patchbay_history_executions", "Executions in the history.", use.executions),
    ):
        yield GaugeMetricFamily(name, description, value=value)


class MetricsMiddleware:
    """Counts every response of an application."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app, self._metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started_at = time.perf_counter()

        async def counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                seconds = time.perf_counter() - started_at
                self._metrics.record_response(scope["method"], _route(scope), message, seconds)
            await send(message)

        await self._app(scope, receive, counted)


def _route(scope: Scope) -> str:
    """The path with parameter names in place of IDs, or `UNKNOWN_ROUTE`."""
    if "endpoint" not in scope:
        return UNKNOWN_ROUTE
    parts, given = scope["path"].split("/"), list(scope.get("path_params", {}).items())
    for place in range(len(parts) - 1, 0, -1):
        if given and parts[place] == str(given[-1][1]):
            parts[place] = f"{{{given.pop()[0]}}}"
    return "/".join(parts)


def _outcome(start: Message) -> str:
    """The outcome of a delivery: from the response header, or else from the status."""
    header_value = dict(start.get("headers", ())).get(DELIVERY_HEADER.encode())
    if header_value is not None:
        return str(header_value.decode("latin-1"))
    status = start["status"]
    if status == 503:
        return "unavailable"
    return "refused" if status in (400, 401, 403, 404, 405, 408, 409, 413, 415) else "accepted"
