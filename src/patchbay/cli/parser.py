"""The argument parser, built from the registry of commands."""

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Any, TypeAlias

from patchbay import __version__
from patchbay.cli.commands import COMMANDS, GROUPS, ID_OR_NAME, START_OF_ID, Command

_Subcommands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"

_VALUES = (
    ("--workspace", "demo|local|URL", "workspace to use"),
    ("--data-dir", "DIR", "folder for all data"),
    (
        "--database",
        "URL",
        "database to use instead of the one in the data folder: sqlite:///FILE, or "
        "postgresql://USER@HOST/DATABASE without a password",
    ),
    ("--database-password-file", "FILE", "file (mode 0600) with the password of the database"),
    ("--proxy", "system|none|URL", "proxy for connecting to a server"),
    ("--ca-file", "FILE", "also trust the certificate authority in this file"),
    ("--pin-sha256", "FINGERPRINT", "trust only the server certificate with this fingerprint"),
    ("--passphrase-file", "FILE", "use a passphrase vault; this file (mode 0600) has its passphrase"),
    ("--data-key-file", "FILE", "encrypt secrets with the data key in this file (mode 0600)"),
)
_VALUE_OPTIONS = {name for name, _, _ in _VALUES} | {"--open"}


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Parse arguments; invalid ones end the program with exit code 2.

    `entry` in the result is the `Command`, or None for the window, and `parser` prints its usage.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    parser = build_parser()
    options, unknown = parser.parse_known_args(_with_named_target(given))
    if unknown:
        (options.parser or parser).error(f"unknown argument: {' '.join(unknown)}")
    return options


def build_parser() -> argparse.ArgumentParser:
    """The whole parser. Global options are accepted before and after the command."""
    parser = argparse.ArgumentParser(
        prog="patchbay",
        description="Workflow automation on your own computer.",
        parents=[_global_options(suppress=False)],
        epilog="Without a command, the window opens with the last used workspace. “patchbay FILE.json” shows "
        "what is in a file of flows, to import it.",
        allow_abbrev=False,  # `--data` isn\'t taken for `--data-dir`
    )
    parser.add_argument("--version", action="version", version=f"patchbay {__version__}")
    parser.add_argument("--safe", action="store_true", help="open the window with all runs paused")
    parser.add_argument(
        "--open", metavar="FILE|LINK", help="show what is in a file of flows, to import it; or open a link"
    )
    parser.add_argument(
        "--new-window", action="store_true", help="open another window even if one is already open"
    )
    parser.add_argument(
        "--background", action="store_true", help="run the flows on this computer without showing the window"
    )
    parser.set_defaults(entry=None, parser=None)
    shared = _global_options(suppress=True)
    subcommands = parser.add_subparsers(dest="command", metavar="COMMAND")
    groups: dict[str | None, _Subcommands] = {None: subcommands}
    for command in COMMANDS:
        if command.group is not None and command.group not in groups:
            head = subcommands.add_parser(
                command.group, parents=[shared], help=GROUPS[command.group], allow_abbrev=False
            )
            groups[command.group] = head.add_subparsers(dest="action", metavar="ACTION", required=True)
        _add_command(groups[command.group], command, shared)
    return parser


def _with_named_target(arguments: list[str]) -> list[str]:
    """Put `--open` before a file or link that is given in place of a command, as desktops do."""
    names = {word for command in COMMANDS for word in (command.name, command.name.split()[0])}
    position = 0
    while position < len(arguments) and arguments[position].startswith("-"):
        takes_value = arguments[position] in _VALUE_OPTIONS
        position += 2 if takes_value else 1
    rest = arguments[position:]
    if len(rest) != 1 or rest[0] in names or not _is_target(rest[0]):
        return arguments
    return [*arguments[:position], "--open", rest[0]]


def _is_target(word: str) -> bool:
    return word.lower().startswith("patchbay:") or word.lower().endswith(".json") or os.sep in word


def _add_command(subcommands: _Subcommands, command: Command, shared: argparse.ArgumentParser) -> None:
    parser = subcommands.add_parser(
        command.name.split()[-1],
        parents=[shared],
        help=command.help,
        epilog=command.epilog,
        allow_abbrev=False,
    )
    parser.set_defaults(entry=command, parser=parser)
    if command.has_json:
        parser.add_argument("--json", action="store_true", help="print the result as one JSON document")
    if command.id_of is not None:
        id_help = START_OF_ID if command.id_of == "execution" else ID_OR_NAME
        parser.add_argument("id", metavar="ID", help=id_help)
    command.add_arguments(parser)


def _global_options(*, suppress: bool) -> argparse.ArgumentParser:
    """Global options. `suppress` omits defaults, so a subcommand doesn't reset what was given before it."""
    options = argparse.ArgumentParser(add_help=False)
    absent: dict[str, Any] = {"default": argparse.SUPPRESS} if suppress else {}
    for name, value, text in _VALUES:
        options.add_argument(name, metavar=value, help=text, **absent)
    for name, text in (
        ("--debug", "log more details, also to standard error"),
        ("--api-key-stdin", "read a server's API key from standard input"),
    ):
        options.add_argument(name, action="store_true", help=text, **(absent or {"default": False}))
    return options
