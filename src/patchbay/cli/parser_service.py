"""Running the service, its API keys and its people, as words of the command line."""

import argparse

from patchbay.cli.parser_words import Subcommands, add_group, add_id_commands, integer_between, output_parents


def add_service_commands(subcommands: Subcommands, shared: argparse.ArgumentParser) -> None:
    """`serve`, `api-key` and `user`."""
    _serve(subcommands, shared)
    _keys(subcommands, shared)
    _users(subcommands, shared)


def _serve(subcommands: Subcommands, shared: argparse.ArgumentParser) -> None:
    serve = subcommands.add_parser("serve", parents=[shared], help="run the service without a window")
    serve.add_argument(
        "--safe", action="store_true", default=argparse.SUPPRESS, help="start with all runs paused"
    )
    serve.add_argument("--host", default="127.0.0.1", help="0.0.0.0 lets other computers in")
    serve.add_argument("--port", type=integer_between(0, 65535), default=8787, help="0 takes any free one")
    serve.add_argument(
        "--webhook-port", type=integer_between(0, 65535), metavar="PORT",
        help="answer webhooks and browsers that come back from a sign-in at a port of their own",
    )  # fmt: skip
    serve.add_argument(
        "--interface-address", metavar="URL",
        help="public address of the interface if webhooks have their own port; used in invitations",
    )  # fmt: skip
    serve.add_argument(
        "--trusted-proxy", action="append", metavar="ADDRESS",
        help="trusted reverse proxy (IP address or network); can be repeated",
    )  # fmt: skip
    serve.add_argument(
        "--proxy-header", choices=["x-forwarded-for", "forwarded"], default="x-forwarded-for",
        help="header in which trusted proxies pass the client address",
    )  # fmt: skip
    serve.add_argument(
        "--base-path", default="", metavar="/PATH", help="what goes before the addresses of the interface"
    )
    serve.add_argument("--tls-cert", metavar="FILE", help="encrypt with this certificate (PEM, the chain)")
    serve.add_argument("--tls-key", metavar="FILE", help="its key, when it is in a file of its own")
    serve.add_argument(
        "--public-address", metavar="URL",
        help="how others reach this service; kept until it is changed (none: forget it)",
    )  # fmt: skip
    serve.add_argument(
        "--outgoing-addresses", choices=["automatic", "off", "members", "everybody"],
        help="who can't call loopback, private, and metadata addresses: nobody (off), everyone but admins "
        "(members), or everybody; automatic means members while others can reach this service",
    )  # fmt: skip
    serve.add_argument(
        "--allow-address", action="append", default=[], metavar="HOST[:PORT]|NETWORK",
        help="always allow this host, *.domain, or network (more with commas, or repeat it); is saved",
    )  # fmt: skip
    serve.add_argument("--database", metavar="URL", help="another database (sqlite:///FILE)")


def _keys(subcommands: Subcommands, shared: argparse.ArgumentParser) -> None:
    keys = add_group(subcommands, "api-key", "keys of the HTTP interface", shared)
    create = keys.add_parser(
        "create", parents=output_parents(shared), help="make a key; its value is printed once"
    )
    create.add_argument("--name", default="command line")
    create.add_argument(
        "--scope", choices=["read", "operate", "admin"], default="admin",
        help="read: look at everything; operate: also work with it; admin: also people, keys and settings",
    )  # fmt: skip
    create.add_argument(
        "--user", metavar="USER", help="whose key it is: unless an admin, it reaches only what is theirs"
    )
    keys.add_parser("list", parents=output_parents(shared), help="which keys there are")
    add_id_commands(keys, shared, revoke="make a key worthless")


def _users(subcommands: Subcommands, shared: argparse.ArgumentParser) -> None:
    users = add_group(subcommands, "user", "users of the service", shared)
    listing = users.add_parser("list", parents=output_parents(shared), help="who there is, with ids")
    listing.add_argument("--invited", action="store_true", help="who was invited and has not come yet")
    create = users.add_parser("create", parents=output_parents(shared), help="somebody who is in at once")
    invite = users.add_parser(
        "invite",
        parents=output_parents(shared),
        help="make a link by which somebody comes in; it is printed once",
    )
    for command, role in ((create, None), (invite, "editor")):
        command.add_argument("--name", required=True)
        command.add_argument("--email", required=True)
        command.add_argument(
            "--role", metavar="admin|editor|viewer", default=role, help="what they may do; without it, editor"
        )
    add_id_commands(
        users, shared, remove="end their keys and unpublish their flows, or withdraw the invitation"
    )
