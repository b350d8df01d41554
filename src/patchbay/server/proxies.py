"""Who calls when proxies stand between: the proxies that were named are believed, and nobody else."""

import ipaddress
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network
ProxyHeader: TypeAlias = Literal["x-forwarded-for", "forwarded"]

_MOST_HOPS = 32
_FOR = re.compile(r'[ \t]*for[ \t]*=[ \t]*("[^"]*"|[^;",]*)', re.IGNORECASE)


@dataclass(frozen=True)
class TrustedProxies:
    """Proxies whose word on a caller's address is believed, and the one header they say it in.

    Just one header: a proxy that sets `X-Forwarded-For` hands on a `Forwarded` that the caller made up.
    """

    networks: tuple[Network, ...] = ()
    header: ProxyHeader = "x-forwarded-for"

    def client(self, peer: str, headers: Iterable[tuple[bytes, bytes]]) -> str:
        """The address of whoever called: the right-most one that isn't a trusted proxy's.

        What stands left of it was written by the caller. At an entry that is no address, the proxy before it
        counts as the caller.
        """
        nearest = _address(peer)
        if nearest is None or not self._trusts(nearest):
            return peer
        for entry in reversed(self._entries(headers)):
            further = _address(entry)
            if further is None:
                break
            nearest = further
            if not self._trusts(nearest):
                break
        return str(nearest)

    def _trusts(self, address: Address) -> bool:
        return any(address in network for network in self.networks)

    def _entries(self, headers: Iterable[tuple[bytes, bytes]]) -> Sequence[str]:
        """What the proxies said, the nearest one's last. Several headers of a name are one list."""
        name = self.header.encode()
        whole = ",".join(value.decode("latin-1") for key, value in headers if key == name)
        entries = whole.rsplit(",", _MOST_HOPS)[-_MOST_HOPS:] if whole else []
        if self.header == "x-forwarded-for":
            return entries
        return [_named(entry) for entry in entries]


NO_PROXIES = TrustedProxies()


def parse_networks(texts: Iterable[str]) -> tuple[Network, ...]:
    """Addresses and networks in CIDR notation. Raises `ValueError` for anything else."""
    return tuple(ipaddress.ip_network(text.strip(), strict=False) for text in texts)


def _named(element: str) -> str:
    """The `for` of an element of `Forwarded`; empty when it has none."""
    found = (_FOR.fullmatch(part) for part in element.split(";"))
    return next((match[1].strip('" \t') for match in found if match), "")


def _address(text: str) -> Address | None:
    """An address with or without port: "10.0.0.1:4711", "[::1]:80". None for names and nonsense."""
    text = text.strip().strip('"')
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        found = ipaddress.ip_address(text)
    except ValueError:
        return None
    if isinstance(found, ipaddress.IPv6Address):
        if found.scope_id is not None:  # a name the sender chose, which would reach the log
            return None
        return found.ipv4_mapped or found
    return found
