"""How fast keys may be guessed.

Whoever shows ten wrong keys in a minute waits, twice as long each time, up to an hour: wrong keys from
that address are answered with 429. A right key always opens, from there too, so people behind the same
router or proxy aren't locked out. That makes guessing no easier, because a key is 384 random bits; what the
wait bounds is how many guesses are answered and logged. When many addresses guess at once, each is allowed
one wrong key, not ten.
"""

import ipaddress
import logging
import time
from collections import OrderedDict
from collections.abc import Callable

from patchbay.domain.errors import RateLimited

MINUTE = 60.0
MAX_WRONG_KEYS = 10
"""Wrong keys a minute from one address."""
MAX_WRONG_KEYS_IN_TOTAL = 100
"""Wrong keys a minute from everywhere; above that each address has one."""
INITIAL_WAIT, MAX_WAIT = 30.0, 3600.0
"""Seconds."""
MAX_ADDRESSES = 4096

log = logging.getLogger(__name__)


class _Count:
    """How often something happened in the minute that began with the first time."""

    def __init__(self) -> None:
        self._started_at, self._count = 0.0, 0

    def add(self, now: float) -> int:
        """Once more; returns how often so far."""
        if now - self._started_at >= MINUTE:
            self._started_at, self._count = now, 0
        self._count += 1
        return self._count

    def clear(self) -> None:
        self._count = 0


class _AddressState:
    """What is known of one address."""

    def __init__(self) -> None:
        self.wrong = _Count()
        self.blocked_until, self.blocks = 0.0, 0

    def block(self, now: float) -> float:
        """Begin to wait; returns for how many seconds."""
        if now - self.blocked_until > MAX_WAIT:
            self.blocks = 0
        seconds = min(INITIAL_WAIT * 2.0**self.blocks, MAX_WAIT)
        self.blocked_until, self.blocks = now + seconds, self.blocks + 1
        self.wrong.clear()
        return seconds


class WrongKeyThrottle:
    """The addresses that keys came from lately, at most `MAX_ADDRESSES`. `clock` gives seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._addresses: OrderedDict[str, _AddressState] = OrderedDict()
        self._wrong = _Count()

    def record_wrong_key(self, address: str) -> None:
        """A wrong key came. Raises `RateLimited` when the address has to wait."""
        state, now = self._state_of(address), self._clock()
        self._require_not_blocked(state)
        allowed = MAX_WRONG_KEYS if self._wrong.add(now) <= MAX_WRONG_KEYS_IN_TOTAL else 1
        if state.wrong.add(now) >= allowed:
            log.warning("invalid keys from %s: rejected for %.0f s", address, state.block(now))

    def _require_not_blocked(self, state: _AddressState) -> None:
        left = state.blocked_until - self._clock()
        if left > 0:
            raise RateLimited(
                "Too many invalid keys from this address.",
                retry_after=left,
                meaning="Invalid keys from this address are rejected until the wait is over.",
                todo="Check the key, and try again later.",
            )

    def _state_of(self, address: str) -> _AddressState:
        network = network_of(address)
        state = self._addresses.setdefault(network, _AddressState())
        self._addresses.move_to_end(network)
        if len(self._addresses) > MAX_ADDRESSES:
            self._addresses.popitem(last=False)
        return state


def network_of(address: str) -> str:
    """The IPv4 address, also where IPv6 carries it (mapped, 6to4); else the /48 network of the IPv6 address.

    A site gets up to a /48, so a smaller network would give one caller 65,536 places. Sharing a place with
    neighbours locks nobody out: a valid key always works.
    """
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(ip, ipaddress.IPv4Address):
        return str(ip)
    carried = ip.ipv4_mapped or ip.sixtofour
    if carried is not None:
        return str(carried)
    return str(ipaddress.IPv6Network((ip, 48), strict=False))
