"""The command line as a tree of words. Source: the commands people and scripts rely on."""

import argparse
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from patchbay import __version__

# MERGED: What the parts of the command line are built of: groups of words, ids, numbers.

Subcommands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"

ID_OR_NAME = "the ID, the start of it, or the name"
START_OF_ID = "the ID or the start of it"


def output_parents(shared: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    """What every command takes that prints something: the global options and `--json`."""
    options = argparse.ArgumentParser(add_help=False)
    options.add_argument("--json", action="store_true", help="print one JSON document")
    return [shared, options]


def add_id_argument(
    command: argparse.ArgumentParser, text: str = ID_OR_NAME, *, optional: bool = False
) -> None:
    """Have a command take the ID of what it is about."""
    command.add_argument("id", metavar="ID", nargs="?" if optional else None, help=text)


def add_id_commands(
    subcommands: Subcommands, shared: argparse.ArgumentParser, id_text: str = ID_OR_NAME, **texts: str
) -> None:
    """Commands that take an ID and nothing else, each with what it does."""
    for name, text in texts.items():
        add_id_argument(subcommands.add_parser(name, parents=output_parents(shared), help=text), id_text)


def integer_between(lowest: int, highest: int, unbounded: str | None = None) -> Callable[[str], int]:
    """Reads a whole number within these bounds; the word for no bound is 0."""

    def integer_between(text: str) -> int:
        if text == unbounded:
            return 0
        if not text.isdecimal() or not lowest <= int(text) <= highest:
            raise argparse.ArgumentTypeError(f"{text} is not a whole number from {lowest} to {highest}")
        return int(text)

    return integer_between


def add_group(subcommands: Subcommands, name: str, text: str, shared: argparse.ArgumentParser) -> Subcommands:
    """A word with commands of its own; returns where they are added."""
    head = subcommands.add_parser(name, parents=[shared], help=text)
    return head.add_subparsers(dest="action", metavar="ACTION", required=True)


# MERGED: Running the service, its API keys and its people, as words of the command line.


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


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The options; wrong words end the program with exit code 2."""
    return build_parser().parse_args(arguments)


def build_parser() -> argparse.ArgumentParser:
    """The whole parser. Global options may stand before or after the command."""
    shared = _global_options(suppress=True)
    parser = argparse.ArgumentParser(
        prog="patchbay",
        description="Workflow automation on your own computer.",
        parents=[_global_options(suppress=False)],
        epilog="Without a command the window opens on the workspace used last.",
    )
    parser.add_argument("--version", action="version", version=f"patchbay {__version__}")
    parser.add_argument("--safe", action="store_true", help="open the window with all runs paused")
    subcommands = parser.add_subparsers(dest="command", metavar="COMMAND")
    _window(subcommands, shared)
    add_service_commands(subcommands, shared)
    _flows(subcommands, shared)
    _executions(subcommands, shared)
    _engine(subcommands, shared)
    _connections(subcommands, shared)
    _apps(subcommands, shared)
    _backups(subcommands, shared)
    return parser


def _global_options(*, suppress: bool) -> argparse.ArgumentParser:
    """Global options; on sub-commands without defaults, so that they do not undo what stood before."""
    options = argparse.ArgumentParser(add_help=False)
    absent: dict[str, Any] = {"default": argparse.SUPPRESS} if suppress else {}
    options.add_argument("--workspace", metavar="demo|local|URL", help="which workspace to use", **absent)
    options.add_argument("--data-dir", metavar="DIR", help="keep everything in this folder", **absent)
    options.add_argument(
        "--debug", action="store_true", help="tell more on standard error", **(absent or {"default": False})
    )
    options.add_argument(
        "--api-key-stdin", action="store_true", help="read a remote service's API key from standard input",
        **(absent or {"default": False}),
    )  # fmt: skip
    for name, value, text in (
        ("--proxy", "system|none|URL", "how a remote service is reached"),
        ("--ca-file", "FILE", "also believe the certificates of this authority"),
        ("--pin-sha256", "FINGERPRINT", "believe exactly this certificate of a remote service"),
    ):
        options.add_argument(name, metavar=value, help=text, **absent)
    options.add_argument(
        "--passphrase-file", metavar="FILE",
        help="keep credentials in a passphrase vault; its passphrase is in this file (mode 0600)", **absent,
    )  # fmt: skip
    return options


def _window(subcommands: Subcommands, shared: argparse.ArgumentParser) -> None:
    tour = subcommands.add_parser("tour", parents=[shared], help="save a picture of every screen")
    tour.add_argument("out_dir")
    tour.add_argument("--scheme", choices=["light", "dark"], default="light")
    tour.add_argument("--size", default="1280x800", metavar="WxH")
    tour.add_argument("--scale", type=float, default=1.0)
    subcommands.add_parser(
        "doctor", parents=output_parents(shared), help="say how this installation is doing"
    )


def _flows(subcommands: Subcommands, shared: argparse.ArgumentParser) -> None:
    flows = add_group(subcommands, "flow", "list, show, move and run flows", shared)
    flows.add_parser("list", parents=output_parents(shared), help="all flows, with ids")
    add_id_commands(
        flows, shared,
        show="its steps and settings", export="its JSON, without accounts",
        unpublish="make it a draft again", pause="hold it: what comes in is kept",
        resume="go on, with what was kept", delete="unpublish and hide it",
    )  # fmt: skip
    publish = flows.add_parser("publish", parents=output_parents(shared), help="let it run")
    add_id_argument(publish)
    publish.add_argument(
        "--revision", metavar="REVISION", type=integer_between(0, 2**63 - 1),
        help="publish only if nobody changed the flow since; `flow show` prints its revision",
    )  # fmt: skip
    load = flows.add_parser(
        "import", parents=output_parents(shared), help="bring in one flow or a list of flows"
    )
    load.add_argument("file")
    load.add_argument("--publish", action="store_true", help="also publish what is complete")
    load.add_argument(
        "--use-accounts", action="store_true", help="use the connection of each app that has exactly one"
    )
    load.add_argument(
        "--copy", action="store_true", help="import flows again that this file already brought in"
    )
    run = flows.add_parser("run", parents=output_parents(shared), help="run a flow now and wait for its end")
    add_id_argument(run)
    run.add_argument(
        "--input", metavar="FILE", help="JSON to use as the trigger's output (- for standard input)"
    )


def _executions(subcommands: Subcommands, shared: argparse.ArgumentParser) -> None:
    executions = add_group(
        subcommands, "execution", "look into what ran, and what is to become of it", shared
    )
    listing = executions.add_parser("list", parents=output_parents(shared), help="the newest, or a filter")
    _filter(listing)
    _search(listing)
    listing.add_argument("--limit", type=integer_between(1, 1_000_000), default=50)
    add_id_commands(
        executions,
        shared,
        START_OF_ID,
        show="its steps, with data",
        cancel="end it now",
        resume="stop waiting for a retry or a rate limit and go on now",
    )
    going_on = executions.add_parser(
        "continue", parents=output_parents(shared), help="go on after an interrupted step that was done"
    )
    add_id_argument(going_on, START_OF_ID)
    retry = executions.add_parser(
        "retry", parents=output_parents(shared), help="go on from the failed step, and wait for the end"
    )
    add_id_argument(retry, START_OF_ID, optional=True)
    retry.add_argument("--all", action="store_true", help="every failed execution of the filter")
    _filter(retry)
    replay = executions.add_parser(
        "replay", parents=output_parents(shared), help="run anew from the start, and wait for the end"
    )
    add_id_argument(replay, START_OF_ID)
    replay.add_argument(
        "--input", metavar="FILE", help="JSON in place of what the trigger put out (- for standard input)"
    )
    replay.add_argument(
        "--newest", action="store_true", help="the steps published now, not those of the original"
    )
    export = executions.add_parser(
        "export", parents=output_parents(shared), help="write executions to a file"
    )
    export.add_argument("--format", choices=["csv", "jsonl"])
    export.add_argument(
        "--raw",
        action="store_true",
        help="write CSV values unchanged, even those spreadsheets run as formulas",
    )
    export.add_argument("out", metavar="OUT", help="the file to write (- for standard output)")
    _filter(export)
    _search(export)


def _search(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--search", metavar="TEXT", help="part of what a step took in or put out, of an error or of the note"
    )


def _filter(command: argparse.ArgumentParser) -> None:
    command.add_argument("--flow", metavar="FLOW", help="ID, start of the ID, or name of a flow")
    command.add_argument("--status", help="success, failure, or any other status shown in the list")
    command.add_argument("--since", metavar="T", help="ISO time, or a span such as 2h or 7d")
    command.add_argument("--until", metavar="T")
    command.add_argument("--name", metavar="TEXT", help="part of the flow's name")
    command.add_argument(
        "--origin", metavar="ID", help="what came of the execution with this ID: retries, replays, calls"
    )


def _engine(subcommands: Subcommands, shared: argparse.ArgumentParser) -> None:
    engine = add_group(subcommands, "engine", "how the engine does and is set, and its history", shared)
    for word, text in (
        ("status", "how it does, and what the history takes up"),
        ("pause", "start no run until they are resumed"),
        ("resume", "start runs again"),
        ("tidy", "remove now what is not to be kept"),
    ):
        engine.add_parser(word, parents=output_parents(shared), help=text)
    settings = engine.add_parser("settings", parents=output_parents(shared), help="show or change them")
    settings.add_argument("--max-concurrent", type=integer_between(1, 200), metavar="N")
    settings.add_argument(
        "--max-runs-per-root", type=integer_between(10, 1_000_000), metavar="N",
        help="max. runs from one start: one run and everything it starts",
    )  # fmt: skip
    settings.add_argument(
        "--max-loop-items", type=integer_between(1, 100_000), metavar="N", help="items of one loop"
    )
    settings.add_argument(
        "--max-body-mb", type=integer_between(1, 100), metavar="MB", help="body of a webhook request"
    )
    settings.add_argument(
        "--max-retry-after", type=integer_between(1, 86_400), metavar="SECONDS",
        help="longest wait a service can ask for with Retry-After",
    )  # fmt: skip
    settings.add_argument(
        "--program-network",
        choices=("yes", "no"),
        help="allow network access for programs that ask for it",
    )
    for name in ("successes", "failures"):
        settings.add_argument(
            f"--keep-{name}", type=integer_between(1, 3_650, "forever"), metavar="DAYS", help="or forever"
        )
    settings.add_argument(
        "--keep-most", type=integer_between(1_000, 2**31, "all"), metavar="N", help="or all"
    )
    settings.add_argument("--limit", action="append", default=[], metavar="APP=CALLS/SECONDS",
                          help="how often an app may be called, or APP=none")  # fmt: skip


def _connections(subcommands: Subcommands, shared: argparse.ArgumentParser) -> None:
    connections = add_group(subcommands, "connection", "accounts at apps", shared)
    connections.add_parser("list", parents=output_parents(shared), help="all connections, with ids")
    add = connections.add_parser("add", parents=output_parents(shared), help="connect an app")
    add.add_argument("--app", required=True, metavar="KEY")
    add.add_argument("--field", action="append", default=[], metavar="k=v", help="a value that is not secret")
    add.add_argument("--secret-stdin", action="append", default=[], metavar="k",
                     help="read this field from standard input, one line each")  # fmt: skip
    add.add_argument(
        "--trust-authority", metavar="FILE", help="trust the authority (CA) whose certificate is in this file"
    )
    add.add_argument("--trust-certificate", metavar="SHA256",
                     help="trust the server's certificate with this fingerprint")  # fmt: skip
    limit = connections.add_parser(
        "limit", parents=output_parents(shared), help="how often all flows together may use it"
    )
    add_id_argument(limit)
    limit.add_argument("limit", metavar="CALLS/SECONDS", help="or none: what its app asks for")
    add_id_commands(connections, shared, test="ask the service whether it still holds", remove="forget it")


def _apps(subcommands: Subcommands, shared: argparse.ArgumentParser) -> None:
    apps = add_group(subcommands, "app", "integration apps", shared)
    apps.add_parser("list", parents=output_parents(shared), help="all apps, with keys")
    apps.add_parser("show", parents=output_parents(shared), help="its triggers and actions").add_argument(
        "key"
    )
    apps.add_parser(
        "check", parents=output_parents(shared), help="verify an app against the contract"
    ).add_argument("app")
    new = apps.add_parser(
        "new", parents=output_parents(shared), help="write a complete app folder to start from"
    )
    new.add_argument("key")
    new.add_argument(
        "folder",
        metavar="DIR",
        nargs="?",
        help="where to put it; without one, where your own apps are loaded",
    )


def _backups(subcommands: Subcommands, shared: argparse.ArgumentParser) -> None:
    note = (
        "The backup's passphrase is read from --backup-passphrase-file, or asked for at the terminal. "
        "Without that option, --passphrase-file stands for both the data folder's vault and the backup."
    )
    save = subcommands.add_parser(
        "backup", parents=output_parents(shared), epilog=note,
        help="write flows, connections, history and settings into one encrypted file",
    )  # fmt: skip
    save.add_argument("out_file", metavar="OUT_FILE")
    save.add_argument("--force", action="store_true", help="overwrite the file")
    save.add_argument(
        "--backup-passphrase-file", metavar="FILE",
        help="encrypt the backup with the passphrase in this file (mode 0600)",
    )  # fmt: skip
    load = subcommands.add_parser(
        "restore", parents=output_parents(shared), epilog=note, help="bring such a file into this data folder"
    )
    load.add_argument("file", metavar="FILE")
    load.add_argument("--force", action="store_true", help="keep the database that is there aside")
    load.add_argument(
        "--backup-passphrase-file", metavar="FILE",
        help="open the backup with the passphrase in this file (mode 0600)",
    )  # fmt: skip
    load.add_argument(
        "--vault", choices=["passphrase"],
        help="keep the key in a passphrase vault instead of the system keyring; its passphrase is in "
        "--passphrase-file, or else that of the backup",
    )  # fmt: skip
