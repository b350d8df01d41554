"""Which addresses flows and connections may call: the setting, the allow-list, and which addresses are
private.

Pure: names are resolved and connections are opened in `integration/outgoing_addresses.py`.
"""

import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from patchbay.domain.errors import ValidationFailed

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
IpNetwork = ipaddress.IPv4Network | ipaddress.IPv6Network

MAX_ALLOWED_ENTRIES = 200
_HOST = re.compile(r"(\*\.)?[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*")
METADATA_HOSTS = frozenset(
    (
        "metadata",
        "metadata.google.internal",
        "metadata.goog",
        "instance-data",
        "instance-data.ec2.internal",
    )
)
"""Host names under which clouds serve the credentials of the machine."""


class OutgoingMode(StrEnum):
    """Whose flows can't call private addresses."""

    AUTOMATIC = "automatic"
    """`members` if other computers can reach this server, otherwise `off`."""
    OFF = "off"
    MEMBERS = "members"
    """For everyone who isn't an admin."""
    EVERYBODY = "everybody"


_KINDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "a cloud metadata address",
        (
            "169.254.169.254/32",
            "fd00:ec2::254/128",
            "fd20:ce::254/128",
            "100.100.100.200/32",
            "168.63.129.16/32",
            "192.0.0.192/32",
        ),
    ),
    ("a loopback address", ("127.0.0.0/8", "::1/128")),
    ("an address of this computer", ("0.0.0.0/8", "::/128")),
    ("a private address", ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7", "fec0::/10")),
    ("a link-local address", ("169.254.0.0/16", "fe80::/10")),
    ("a carrier-grade NAT address", ("100.64.0.0/10",)),
    ("a multicast address", ("224.0.0.0/4", "ff00::/8")),
    ("a reserved address", ("192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15",
                            "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4", "100::/64",
                            "2001:db8::/32", "3fff::/20", "5f00::/16", "2001::/23")),
)  # fmt: skip
_BLOCKED: tuple[tuple[str, tuple[IpNetwork, ...]], ...] = tuple(
    (kind, tuple(map(ipaddress.ip_network, networks))) for kind, networks in _KINDS
)
_IPV4_SUFFIX_NETWORKS = tuple(
    ipaddress.IPv6Network(text)
    for text in ("::/96", "::ffff:0:0/96", "::ffff:0:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48")
)
"""IPv6 forms whose last 32 bits are an IPv4 address: compatible, mapped, translated, NAT64."""
_GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")
_ISATAP = (0x00005EFE, 0x02005EFE)


def ip_address(text: str) -> IpAddress | None:
    """The IP address in a text, without brackets and zone; None when it is a name."""
    try:
        return ipaddress.ip_address(text.strip("[]").partition("%")[0])
    except ValueError:
        return None


def is_loopback(host: str) -> bool:
    """Whether a host name or address always means the computer itself.

    Names below `localhost` don't: some resolvers ask the network for them.
    """
    address = ip_address(host)
    if address is None:
        return host.rstrip(".").lower() == "localhost"
    mapped = address.ipv4_mapped if address.version == 6 else None
    return (mapped or address).is_loopback


def block_reason(address: IpAddress) -> str | None:
    """What kind of non-public address it is, such as "a loopback address"; None for a public one."""
    embedded = tuple(_embedded_ipv4(address))
    for inner in (*embedded, address):
        for kind, networks in _BLOCKED:
            if any(inner in network for network in networks if network.version == inner.version):
                return kind
    if not embedded and address.version == 6 and address not in _GLOBAL_UNICAST:
        return "a reserved address"
    # Python's registries cover whatever is missing from the tables above.
    return None if address.is_global or embedded else "a reserved address"


def _embedded_ipv4(address: IpAddress) -> Iterable[IpAddress]:
    """The IPv4 addresses that a gateway would extract from an IPv6 address."""
    if isinstance(address, ipaddress.IPv4Address):
        return
    number = int(address)
    if number <= 1:  # "::" and "::1" are addresses of their own
        return
    if any(address in network for network in _IPV4_SUFFIX_NETWORKS) or (number >> 32) & 0xFFFFFFFF in _ISATAP:
        yield ipaddress.IPv4Address(number & 0xFFFFFFFF)
    if address.sixtofour is not None:
        yield address.sixtofour
    if address.teredo is not None:
        yield from address.teredo


@dataclass(frozen=True)
class AllowList:
    """Hosts, networks and single ports that are never blocked."""

    hosts: frozenset[tuple[str, int | None]] = frozenset()
    networks: tuple[tuple[IpNetwork, int | None], ...] = ()

    def has_host(self, host: str, port: int) -> bool:
        """Whether the host name is on the list, itself or as `*.` with a parent domain."""
        labels = host.split(".")
        names = {host, *(f"*.{'.'.join(labels[start:])}" for start in range(1, len(labels)))}
        return any((name, allowed_port) in self.hosts for name in names for allowed_port in (None, port))

    def has_address(self, address: IpAddress, port: int) -> bool:
        """Whether the list contains the address with this port."""
        return any(
            address in network and allowed_port in (None, port)
            for network, allowed_port in self.networks
            if network.version == address.version
        )


def parse_allow_list(entries: Iterable[str]) -> AllowList:
    """Parse allow-list entries. Raises `ValidationFailed`."""
    hosts: set[tuple[str, int | None]] = set()
    networks: list[tuple[IpNetwork, int | None]] = []
    for entry in entries:
        target, port = _parse_entry(entry)
        if isinstance(target, str):
            hosts.add((target, port))
        else:
            networks.append((target, port))
    return AllowList(frozenset(hosts), tuple(networks))


def validate_entries(entries: Iterable[str]) -> tuple[str, ...]:
    """Normalise allow-list entries and remove duplicates. Raises `ValidationFailed`."""
    cleaned = tuple(dict.fromkeys(entry.strip().lower() for entry in entries if entry.strip()))
    if len(cleaned) > MAX_ALLOWED_ENTRIES:
        raise _entry_error(f"The allow list has more than {MAX_ALLOWED_ENTRIES} entries.")
    parse_allow_list(cleaned)
    return cleaned


def _parse_entry(text: str) -> tuple[str | IpNetwork, int | None]:
    text = text.strip().lower()
    target, port = _split_port(text)
    try:
        return ipaddress.ip_network(target, strict=False), port
    except ValueError:
        pass
    if not _HOST.fullmatch(target) or target.rpartition(".")[2].isdecimal():
        raise _entry_error(f"“{text[:60]}” isn't a host name, a network, or a host with a port.")
    return target, port


def _split_port(text: str) -> tuple[str, int | None]:
    bracketed = re.fullmatch(r"\[([0-9a-f:.]+)\](?::(\d{1,5}))?", text)
    plain = re.fullmatch(r"([^:/]+):(\d{1,5})", text)
    found = bracketed or plain
    if found is None:
        return text, None
    port = int(found[2]) if found[2] else None
    if port is not None and not 0 < port < 65536:
        raise _entry_error(f"{port} isn't a valid port.")
    return found[1], port


def _entry_error(message: str) -> ValidationFailed:
    return ValidationFailed(
        {"allowedAddresses": [message]},
        happened=message,
        todo="Use hosts or networks such as nas.example.lan, *.example.lan, 10.1.0.0/16, or 10.1.2.3:8080, "
        "separated by commas.",
    )
