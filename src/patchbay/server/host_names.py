"""Which host names requests may be for, since a web page can let its name lead here (DNS rebinding)."""

from collections.abc import Iterable

LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "::1"})


def is_allowed_host(host: str, public_hosts: Iterable[str], own_address: str, *, loopback: bool) -> bool:
    """Whether a Host header has a name of this computer, or one of the public names.

    Off loopback, the address the request arrived at (`own_address`) is accepted too, and every name while no
    public name is set, because the server can't know its names then.
    """
    name = host_name(host)
    if name in LOOPBACK_NAMES:
        return True
    known = {host_name(public) for public in public_hosts}
    if loopback or known:
        return name in known or (not loopback and name == own_address)
    return True


def host_name(host: str) -> str:
    """A host without its port: "[::1]:8787" is "::1"."""
    host = host.strip().lower()
    name, colon, port = host.rpartition(":")
    is_port = port == "" or (port.isascii() and port.isdigit())
    if colon and is_port and (name.startswith("[") or ":" not in name):
        host = name
    return host[1:-1] if host.startswith("[") and host.endswith("]") else host
