"""The client's address behind trusted reverse proxies."""

import ipaddress
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network
ProxyHeader: TypeAlias = Literal["x-forwarded-for", "forwarded"]

_MAX_HOPS = 32
_FOR = re.compile(r'[ \t]*for[ \t]*=[ \t]*("[^"]*"|[^;",]*)', re.IGNORECASE)


@dataclass(frozen=True)
class TrustedProxies:
    """Networks of trusted proxies, and the one header in which they forward the client's address.

    Only one header: a proxy that sets `X-Forwarded-For` passes on a `Forwarded` header forged by the client.
    """

    networks: tuple[Network, ...] = ()
    header: ProxyHeader = "x-forwarded-for"

    def client(self, peer: str, headers: Iterable[tuple[bytes, bytes]]) -> str:
        """The client's address: the right-most one that isn't a trusted proxy's.

        Entries left of it may be forged. At an entry that isn't an address, the proxy that added it counts as
        the client.
        """
        if not self.networks:
            return peer
        caller = _address(peer)
        if caller is None or not self._trusts(caller):
            return peer
        for entry in reversed(self._entries(headers)):
            previous_hop = _address(entry)
            if previous_hop is None:
                break
            caller = previous_hop
            if not self._trusts(caller):
                break
        return str(caller)

    def _trusts(self, address: Address) -> bool:
        return any(address in network for network in self.networks)

    def _entries(self, headers: Iterable[tuple[bytes, bytes]]) -> Sequence[str]:
        """The forwarded addresses, the nearest proxy's last. Repeated headers form one list."""
        name = self.header.encode()
        joined = ",".join(value.decode("latin-1") for key, value in headers if key == name)
        entries = joined.rsplit(",", _MAX_HOPS)[-_MAX_HOPS:] if joined else []
        if self.header == "x-forwarded-for":
            return entries
        return [_forwarded_for(entry) for entry in entries]


NO_PROXIES = TrustedProxies()


def parse_networks(texts: Iterable[str]) -> tuple[Network, ...]:
    """Addresses and networks in CIDR notation. Raises `ValueError` for anything else."""
    return tuple(ipaddress.ip_network(text.strip(), strict=False) for text in texts)


def _forwarded_for(element: str) -> str:
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
