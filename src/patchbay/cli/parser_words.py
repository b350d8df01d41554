"""What the parts of the command line are built of: groups of words, ids, numbers."""

import argparse
from collections.abc import Callable
from typing import TypeAlias

Words: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def printing(shared: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    """What every command takes that prints something: the global options and `--json`."""
    options = argparse.ArgumentParser(add_help=False)
    options.add_argument("--json", action="store_true", help="print one JSON document")
    return [shared, options]


def later(words: Words, name: str, shared: argparse.ArgumentParser) -> None:
    """A command that is announced and not there yet."""
    words.add_parser(name, parents=[shared], help="not there yet").set_defaults(later=True)


def with_id(words: Words, shared: argparse.ArgumentParser, **texts: str) -> None:
    """Commands that take an id and nothing else, each with what it does."""
    for word, text in texts.items():
        words.add_parser(word, parents=printing(shared), help=text).add_argument("id")


def number(lowest: int, highest: int, unbounded: str | None = None) -> Callable[[str], int]:
    """Reads a whole number within these bounds; the word for no bound is 0."""

    def number(text: str) -> int:
        if text == unbounded:
            return 0
        if not text.isdecimal() or not lowest <= int(text) <= highest:
            raise argparse.ArgumentTypeError(f"{text} is not a whole number from {lowest} to {highest}")
        return int(text)

    return number


def group(words: Words, name: str, text: str, shared: argparse.ArgumentParser) -> Words:
    """A word with commands of its own; returns where they are added."""
    head = words.add_parser(name, parents=[shared], help=text)
    return head.add_subparsers(dest="action", metavar="ACTION", required=True)
