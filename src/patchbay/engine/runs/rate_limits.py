"""Rate limits: never more calls in a span of time than a connection or an app may make."""

import time
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping

from patchbay.domain.base import AppKey, ConnectionId, ExecutionId
from patchbay.domain.engine import RateLimit

_MAX_CALL_GROUPS = 1_000
"""Starts that lie closer together than this part of the span are remembered as one moment, the later one."""
_GRACE_SECONDS = 2.0
"""Seconds after its time that a place in the queue is kept free; then the next one goes first."""
_EXPIRY_SECONDS = 600.0
"""Seconds after its time that a place in the queue is remembered at all."""
_MAX_WAITING = 20_000
_SPREAD_STEP_SECONDS = 0.05
"""Seconds between those who waited for the end of a hold, so that they do not all call at once."""
_MAX_SPREAD_SECONDS = 10.0


class RateLimiter:
    """Who may call now. Everything is in memory; a restart begins with no calls made.

    A connection's limit and its app's limit both hold. Belongs to one event loop.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._connections: dict[ConnectionId, _LimitState] = {}
        self._apps: dict[AppKey, _LimitState] = {}
        self._holds: dict[str, _Hold] = {}
        """By connection ID, `host_key`, or `app_hold_key`."""

    def configure(
        self, by_connection: Mapping[ConnectionId, RateLimit], by_app: Mapping[AppKey, RateLimit]
    ) -> None:
        """The limits from now on; calls made under the ones before count on."""
        self._connections = _updated_limits(self._connections, by_connection)
        self._apps = _updated_limits(self._apps, by_app)

    def acquire(
        self,
        connection_id: ConnectionId | None,
        app_key: AppKey | None,
        ticket: str | None = None,
        hold_key: str = "",
    ) -> float:
        """0: call now, it is counted. Otherwise the seconds after which to ask again, with the same ticket.

        `ticket` names who asks (such as the execution's id) and keeps its place: others who ask later go
        later. Without one nothing is remembered. A limit never lets more start, whoever comes when.
        `hold_key` is what a hold on this call would be stored under; by default its connection.
        """
        now = self._clock()
        if wait_seconds := self._hold_seconds(hold_key or connection_id, now, ticket):
            return wait_seconds
        limit_states = self._of(connection_id, app_key)
        for limit in limit_states:
            if wait_seconds := limit.wait_seconds(now, ticket):
                # The places before this limit are kept meanwhile, those after it not: who waits for a slow
                # connection must not stand in the way of others at the same app.
                for passed in limit_states[: limit_states.index(limit) + 1]:
                    passed.queue(ticket, now + wait_seconds)
                return wait_seconds
        for limit in limit_states:
            limit.start(now, ticket)
        return 0.0

    def hold(self, key: str, seconds: float, name: str, ticket: str | None = None) -> None:
        """Start no call under this key for so long, because the service asked for it.

        `name` is the host or service in words; `ticket` is the run whose call was refused.
        """
        now = self._clock()
        self._holds = {each: hold for each, hold in self._holds.items() if hold.until > now}
        known = self._holds.get(key)
        if known is None:
            known = self._holds[key] = _Hold(now + seconds, name)
        known.until = max(known.until, now + seconds)
        known.add(ticket)

    def held_by(self, key: str | None) -> str | None:
        """The name of the host or service that asked to wait; None when calls under this key aren't held."""
        hold = self._holds.get(key) if key else None
        return None if hold is None or hold.until <= self._clock() else hold.name

    def release(self, ticket: ExecutionId) -> tuple[ExecutionId, ...]:
        """End the holds that this run waits for; returns the runs that waited for them."""
        ended = {key: hold for key, hold in self._holds.items() if ticket in hold.waiting}
        for key in ended:
            del self._holds[key]
        return tuple(dict.fromkeys(each for hold in ended.values() for each in hold.waiting))

    def is_queued(self, ticket: str) -> bool:
        """Whether this run waits for its turn under the rate limit of a connection or an app."""
        return any(limit.is_queued(ticket) for limit in (*self._connections.values(), *self._apps.values()))

    def forget(self, ticket: str) -> None:
        """Who had this ticket will not come again, such as a cancelled run."""
        for limit in (*self._connections.values(), *self._apps.values()):
            limit.forget(ticket)
        for hold in self._holds.values():
            hold.waiting.pop(ticket, None)

    def _of(self, connection_id: ConnectionId | None, app_key: AppKey | None) -> list["_LimitState"]:
        found = (self._connections.get(connection_id or ""), self._apps.get(app_key or ""))
        return [limit for limit in found if limit is not None]

    def _hold_seconds(self, key: str | None, now: float, ticket: str | None) -> float:
        hold = self._holds.get(key) if key else None
        if hold is None or hold.until <= now:
            return 0.0
        hold.add(ticket)
        hold.released_count += 1
        return hold.until - now + min(_MAX_SPREAD_SECONDS, (hold.released_count - 1) * _SPREAD_STEP_SECONDS)


def host_key(host: str, owner: str) -> str:
    """What a hold on a host is stored under, for the flows of this person without a connection."""
    return f"host:{owner}:{host.casefold()}"


def app_hold_key(app_key: AppKey, owner: str) -> str:
    """What a hold on an app is stored under, for the flows of this person without a connection."""
    return f"app:{owner}:{app_key}"


def _updated_limits(
    known: Mapping[str, "_LimitState"], configured: Mapping[str, RateLimit]
) -> dict[str, "_LimitState"]:
    limits = {}
    for key, limit in configured.items():
        limits[key] = known.get(key) or _LimitState(limit)
        limits[key].limit = limit
    return limits


class _Hold:
    """A time until which nothing starts, who asked for it, and the runs that wait for it."""

    def __init__(self, until: float, name: str) -> None:
        self.until = until
        self.name = name
        self.released_count = 0
        """How often a run was told to come back, so that they come back one after the other."""
        self.waiting: dict[ExecutionId, None] = {}

    def add(self, ticket: ExecutionId | None) -> None:
        if ticket is not None and len(self.waiting) < _MAX_WAITING:
            self.waiting[ticket] = None


class _LimitState:
    """What started under one limit within its span, and who waits, in order.

    A limit is kept by counting the starts themselves, so no window of `seconds` ever holds more than
    `calls`, also at its edges. Starts are kept as moments, at most a thousand however many calls there are.
    """

    def __init__(self, limit: RateLimit) -> None:
        self.limit = limit
        self._call_groups: deque[_CallGroup] = deque()
        self._started = 0
        self._waiting: OrderedDict[str, float] = OrderedDict()

    def wait_seconds(self, now: float, ticket: str | None) -> float:
        """Seconds until this ticket's turn; 0 when it is now."""
        self._expire(now)
        free_calls = self.limit.calls - self._started
        ahead = self._ahead(now, ticket)
        if ahead < free_calls:
            return 0.0
        return max(self._start_time(ahead - free_calls, now) - now, 0.001)

    def start(self, now: float, ticket: str | None) -> None:
        """Count a call that starts now."""
        self.forget(ticket)
        self._started += 1
        last = self._call_groups[-1] if self._call_groups else None
        if last is not None and now - last.first < self.limit.seconds / _MAX_CALL_GROUPS:
            last.last = now
            last.calls += 1
        else:
            self._call_groups.append(_CallGroup(now))

    def queue(self, ticket: str | None, until: float) -> None:
        """Keep the place of this ticket, who was told to come again at `until`; a new one is the last."""
        if ticket is not None and (ticket in self._waiting or len(self._waiting) < _MAX_WAITING):
            self._waiting[ticket] = until

    def forget(self, ticket: str | None) -> None:
        if ticket is not None:
            self._waiting.pop(ticket, None)

    def is_queued(self, ticket: str) -> bool:
        return ticket in self._waiting

    def _expire(self, now: float) -> None:
        while self._call_groups and self._call_groups[0].last + self.limit.seconds <= now:
            self._started -= self._call_groups.popleft().calls
        while self._waiting and next(iter(self._waiting.values())) + _EXPIRY_SECONDS < now:
            self._waiting.popitem(last=False)

    def _ahead(self, now: float, ticket: str | None) -> int:
        """How many wait before this one and have not let their time go by."""
        ahead = 0
        for name, until in self._waiting.items():
            if name == ticket:
                break
            ahead += until + _GRACE_SECONDS > now
        return ahead

    def _start_time(self, index: int, now: float) -> float:
        """When the call after `index` others that have to wait can start, if all before it start in time."""
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
