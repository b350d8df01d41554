"""The options of `patchbay serve` and `patchbay worker`."""

import argparse
from collections.abc import Callable

MAX_DRAIN_SECONDS = 300


def integer_between(lowest: int, highest: int, unbounded: str | None = None) -> Callable[[str], int]:
    """An argument type for whole numbers within these bounds; the word `unbounded` is parsed as 0."""

    def parse(text: str) -> int:
        if text == unbounded:
            return 0
        if not text.isdecimal() or not lowest <= int(text) <= highest:
            bounds = f"a whole number from {lowest:,} to {highest:,}" + (
                f" or “{unbounded}”" if unbounded else ""
            )
            raise argparse.ArgumentTypeError(f"“{text}” isn't {bounds}")
        return int(text)

    return parse


def add_serve_arguments(command: argparse.ArgumentParser) -> None:
    """Add the options of `patchbay serve`."""
    _add_running(command)
    _add_listening(command)
    _add_addresses(command)


def _add_running(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--safe", action="store_true", default=argparse.SUPPRESS, help="start with all runs paused"
    )
    command.add_argument(
        "--no-runs",
        action="store_true",
        help="accept requests but run nothing: workers of the same PostgreSQL database run the flows",
    )
    command.add_argument(
        "--drain",
        type=integer_between(0, MAX_DRAIN_SECONDS),
        default=0,
        metavar="SECONDS",
        help="after SIGTERM, fail the health check and still accept requests for this long, until the load "
        "balancer sends no more (default: 0)",
    )


def _add_listening(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--host", default="127.0.0.1", help="address to listen on; 0.0.0.0 accepts other computers"
    )
    command.add_argument(
        "--port", type=integer_between(0, 65535), default=8787, help="port to listen on; 0 picks a free one"
    )
    command.add_argument(
        "--webhook-port",
        type=integer_between(0, 65535),
        metavar="PORT",
        help="separate port for webhooks and for browsers returning from a sign-in",
    )
    command.add_argument(
        "--interface-address",
        metavar="URL",
        help="public address of the HTTP API if webhooks have their own port; used in invitations",
    )
    command.add_argument(
        "--trusted-proxy",
        action="append",
        metavar="ADDRESS",
        help="trusted reverse proxy (IP address or network); can be repeated",
    )
    command.add_argument(
        "--proxy-header",
        choices=["x-forwarded-for", "forwarded"],
        default="x-forwarded-for",
        help="header in which trusted proxies pass the client address",
    )
    command.add_argument("--base-path", default="", metavar="/PATH", help="path prefix of the HTTP API")
    command.add_argument("--tls-cert", metavar="FILE", help="TLS certificate chain (PEM)")
    command.add_argument("--tls-key", metavar="FILE", help="TLS private key, if not in the certificate file")


def _add_addresses(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--public-address",
        metavar="URL",
        help="address at which others reach this server; saved until changed (none: remove it)",
    )
    command.add_argument(
        "--outgoing-addresses",
        choices=["automatic", "off", "members", "everybody"],
        help="who can't call loopback, private, and metadata addresses: no one (off), everyone but admins "
        "(members), or everyone (everybody); automatic means members while others can reach this server",
    )
    command.add_argument(
        "--allow-address",
        action="append",
        default=[],
        metavar="HOST[:PORT]|NETWORK",
        help="always allow calls to this host, *.domain, or network; separate several with commas, or repeat "
        "the option; saved",
    )


def add_worker_arguments(command: argparse.ArgumentParser) -> None:
    """Add the options of `patchbay worker`."""
    for name, value, text in (
        ("--app", "KEY", "run only flows with a step of this app; can be repeated"),
        ("--flow", "ID", "run only this flow; can be repeated"),
    ):
        command.add_argument(name, action="append", default=[], metavar=value, help=text)
    port, port_help = integer_between(0, 65535), "respond to health checks on this port; 0 picks a free one"
    command.add_argument("--health-port", type=port, metavar="PORT", help=port_help)
    host_help = "address of the health check"
    command.add_argument("--health-host", default="127.0.0.1", metavar="HOST", help=host_help)
