"""Rate limits of connections and apps, and holds that a service asks for with `Retry-After`."""

import time
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping

from patchbay.domain.base import AppKey, ConnectionId, ExecutionId, IdType, get_optional
from patchbay.domain.engine import RateLimit

_MAX_CALL_GROUPS = 1_000
"""Calls closer together than this fraction of the span are stored as one group, at the time of the latest."""
_GRACE_SECONDS = 2.0
"""Seconds after its time when a reservation expires; then the next one in the queue may go first."""
_EXPIRY_SECONDS = 600.0
"""Seconds after its time when a reservation is removed from the queue."""
_MAX_WAITING = 20_000
_SPREAD_STEP_SECONDS = 0.05
"""Seconds between runs that waited for the end of a hold, so that they don't all call at once."""
_MAX_SPREAD_SECONDS = 10.0


class RateLimiter:
    """Decides when a call may start. The limits of its connection and of its app both apply.

    All state is in memory: after a restart, no calls count as made. Belongs to one event loop.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._connections: dict[ConnectionId, _LimitState] = {}
        self._apps: dict[AppKey, _LimitState] = {}
        self._holds: dict[str, _Hold] = {}
        """By connection ID, `host_hold_key`, or `app_hold_key`."""

    def configure(
        self, by_connection: Mapping[ConnectionId, RateLimit], by_app: Mapping[AppKey, RateLimit]
    ) -> None:
        """Replace the limits. Calls made so far still count."""
        self._connections = _updated_limits(self._connections, by_connection)
        self._apps = _updated_limits(self._apps, by_app)

    def acquire(
        self,
        connection_id: ConnectionId | None,
        app_key: AppKey | None,
        ticket: ExecutionId | None = None,
        hold_key: str = "",
    ) -> float:
        """Return 0 and count the call if it may start now, otherwise the seconds until the next try.

        `ticket` identifies the caller (the execution's ID) and keeps its place in the queue. Without one, no
        place is kept. `hold_key` is the key under which a hold of this call would be stored, by default its
        connection.
        """
        now = self._clock()
        if wait_seconds := self._hold_seconds(hold_key or connection_id, now, ticket):
            return wait_seconds
        found = (get_optional(self._connections, connection_id), get_optional(self._apps, app_key))
        limit_states = [limit for limit in found if limit is not None]
        for limit in limit_states:
            if wait_seconds := limit.wait_seconds(now, ticket):
                # Keep the place in the queues up to this limit, but not in those after it: a run that waits
                # for a slow connection must not block others that use the same app.
                for passed in limit_states[: limit_states.index(limit) + 1]:
                    passed.queue(ticket, now + wait_seconds)
                return wait_seconds
        for limit in limit_states:
            limit.start(now, ticket)
        return 0.0

    def limits_of(
        self, connection_id: ConnectionId | None, app_key: AppKey | None
    ) -> tuple[tuple[str, RateLimit], ...]:
        """The configured limits of a call, each with a key that is the same in all programs."""
        found = (
            (f"connection:{connection_id}", get_optional(self._connections, connection_id)),
            (f"app:{app_key}", get_optional(self._apps, app_key)),
        )
        return tuple((key, state.limit) for key, state in found if state is not None)

    def undo(
        self,
        connection_id: ConnectionId | None,
        app_key: AppKey | None,
        ticket: ExecutionId,
        wait_seconds: float,
    ) -> None:
        """Undo `acquire` for a call that other programs keep from starting, and queue it."""
        found = (get_optional(self._connections, connection_id), get_optional(self._apps, app_key))
        for limit in found:
            if limit is not None:
                limit.undo(ticket, self._clock() + wait_seconds)

    def hold(self, key: str, seconds: float, name: str, ticket: ExecutionId | None = None) -> None:
        """Start no call under this key for so many seconds, because the service asked to wait.

        `name` is the name of the host or service; `ticket` is the run whose call was rejected.
        """
        now = self._clock()
        self._holds = {each: hold for each, hold in self._holds.items() if hold.until > now}
        known = self._holds.get(key)
        if known is None:
            known = self._holds[key] = _Hold(now + seconds, name)
        known.until = max(known.until, now + seconds)
        known.add(ticket)

    def held_by(self, key: str | None) -> str | None:
        """The name of the host or service that asked to wait; None if calls under this key aren't held."""
        hold = self._holds.get(key) if key else None
        return None if hold is None or hold.until <= self._clock() else hold.name

    def release(self, ticket: ExecutionId) -> tuple[ExecutionId, ...]:
        """End the holds that this run waits for, and return all runs that waited for them."""
        ended = {key: hold for key, hold in self._holds.items() if ticket in hold.waiting}
        for key in ended:
            del self._holds[key]
        return tuple(dict.fromkeys(each for hold in ended.values() for each in hold.waiting))

    def is_queued(self, ticket: ExecutionId) -> bool:
        """Whether this run is in the queue of a connection's or app's rate limit."""
        return any(limit.is_queued(ticket) for limit in (*self._connections.values(), *self._apps.values()))

    def discard(self, ticket: ExecutionId) -> None:
        """Drop the reservations of a run that was cancelled."""
        for limit in (*self._connections.values(), *self._apps.values()):
            limit.discard(ticket)
        for hold in self._holds.values():
            hold.waiting.pop(ticket, None)

    def _hold_seconds(self, key: str | None, now: float, ticket: ExecutionId | None) -> float:
        hold = self._holds.get(key) if key else None
        if hold is None or hold.until <= now:
            return 0.0
        hold.add(ticket)
        hold.waits_handed_out += 1
        return hold.until - now + min(_MAX_SPREAD_SECONDS, (hold.waits_handed_out - 1) * _SPREAD_STEP_SECONDS)


def host_hold_key(host: str, owner: str) -> str:
    """The key for holds of a host, for the flows of one owner that call it without a connection."""
    return f"host:{owner}:{host.casefold()}"


def app_hold_key(app_key: AppKey, owner: str) -> str:
    """The key for holds of an app, for the flows of one owner that use it without a connection."""
    return f"app:{owner}:{app_key}"


def _updated_limits(
    known: Mapping[IdType, "_LimitState"], configured: Mapping[IdType, RateLimit]
) -> dict[IdType, "_LimitState"]:
    limits = {}
    for key, limit in configured.items():
        limits[key] = known.get(key) or _LimitState(limit)
        limits[key].limit = limit
    return limits


class _Hold:
    """A hold that a service asked for: its end, the service's name, and the runs that wait for it."""

    def __init__(self, until: float, name: str) -> None:
        self.until = until
        self.name = name
        self.waits_handed_out = 0
        """The number of waits returned so far. Each is longer, so that runs resume one after the other."""
        self.waiting: dict[ExecutionId, None] = {}

    def add(self, ticket: ExecutionId | None) -> None:
        if ticket is not None and len(self.waiting) < _MAX_WAITING:
            self.waiting[ticket] = None


class _LimitState:
    """The calls within the span of one limit, and the queue for it.

    Calls are counted in a sliding window, so that no span of `seconds` ever has more than `calls`. They are
    stored as groups, at most a thousand, so that memory use doesn't grow with the limit.
    """

    def __init__(self, limit: RateLimit) -> None:
        self.limit = limit
        self._call_groups: deque[_CallGroup] = deque()
        self._started = 0
        self._waiting: OrderedDict[ExecutionId, float] = OrderedDict()

    def wait_seconds(self, now: float, ticket: ExecutionId | None) -> float:
        """Seconds until this ticket may call; 0 means now."""
        while self._call_groups and self._call_groups[0].last + self.limit.seconds <= now:
            self._started -= self._call_groups.popleft().calls
        while self._waiting and next(iter(self._waiting.values())) + _EXPIRY_SECONDS < now:
            self._waiting.popitem(last=False)

        free_calls = self.limit.calls - self._started
        ahead = self._ahead(now, ticket)
        if ahead < free_calls:
            return 0.0
        return max(self._start_time(ahead - free_calls, now) - now, 0.001)

    def start(self, now: float, ticket: ExecutionId | None) -> None:
        """Count a call that starts now."""
        self.discard(ticket)
        self._started += 1
        last = self._call_groups[-1] if self._call_groups else None
        if last is not None and now - last.first < self.limit.seconds / _MAX_CALL_GROUPS:
            last.last = now
            last.calls += 1
        else:
            self._call_groups.append(_CallGroup(now))

    def undo(self, ticket: ExecutionId, until: float) -> None:
        """Don't count the last call, and queue it until then."""
        last = self._call_groups[-1] if self._call_groups else None
        if last is not None:
            self._started -= 1
            last.calls -= 1
            if not last.calls:
                self._call_groups.pop()
        self.queue(ticket, until)

    def queue(self, ticket: ExecutionId | None, until: float) -> None:
        """Keep the ticket's place in the queue until its time has come; a new ticket is the last."""
        if ticket is not None and (ticket in self._waiting or len(self._waiting) < _MAX_WAITING):
            self._waiting[ticket] = until

    def discard(self, ticket: ExecutionId | None) -> None:
        if ticket is not None:
            self._waiting.pop(ticket, None)

    def is_queued(self, ticket: ExecutionId) -> bool:
        return ticket in self._waiting

    def _ahead(self, now: float, ticket: ExecutionId | None) -> int:
        """The number of tickets before this one whose reservation is still valid."""
        ahead = 0
        for name, until in self._waiting.items():
            if name == ticket:
                break
            ahead += until + _GRACE_SECONDS > now
        return ahead

    def _start_time(self, index: int, now: float) -> float:
        """When the call with this index in the queue can start, if all before it start in time."""
        rounds, index = divmod(index, self.limit.calls)
        later = rounds * self.limit.seconds
        for group in self._call_groups:
            if index < group.calls:
                return group.last + self.limit.seconds + later
            index -= group.calls
        return now + self.limit.seconds + later


class _CallGroup:
    """Calls that started (nearly) together."""

    def __init__(self, at: float) -> None:
        self.first = self.last = at
        self.calls = 1
