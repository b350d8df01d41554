"""What the parts of the command line are built of: groups of words, ids, numbers."""

import argparse
from collections.abc import Callable
from typing import TypeAlias

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
