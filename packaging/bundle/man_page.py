"""Print the manual page patchbay(1), made from the registry of commands."""

import argparse
import os
import time
from collections.abc import Iterator

from patchbay import __version__
from patchbay.cli.commands import COMMANDS, ID_OR_NAME, START_OF_ID, Command
from patchbay.cli.parser import build_parser

KNOWN = {"execution": START_OF_ID, "flow": ID_OR_NAME, "connection": ID_OR_NAME}


def page(date: str) -> str:
    """The page in the format of man(7)."""
    options = (
        line for action in build_parser()._actions for line in _argument(action) if action.dest != "command"
    )
    lines = [
        f'.TH PATCHBAY 1 "{date}" "patchbay {__version__}" "User Commands"',
        ".SH NAME",
        r"patchbay \- connect apps and automate tasks on your own computer",
        ".SH SYNOPSIS",
        r".B patchbay",
        r"[\fIoptions\fR] [\fIcommand\fR]",
        ".SH DESCRIPTION",
        "Without a command, opens the window with the workspace that was used last.",
        r"Commands that print data also accept \fB\-\-json\fR.",
        ".SH OPTIONS",
        *options,
        ".SH COMMANDS",
        *(line for command in COMMANDS for line in _command(command)),
        ".SH EXIT STATUS",
        "0 success, 1 failure, 2 invalid arguments, 130 interrupted.",
    ]
    return "\n".join(lines) + "\n"


def _command(command: Command) -> Iterator[str]:
    parser = argparse.ArgumentParser(add_help=False)
    command.add_arguments(parser)
    yield f'.SS "patchbay {_text(command.name)}"'
    yield f"{_text(command.help)}."
    if command.id_of:
        yield from (".TP", r"\fIID\fR", _text(KNOWN[command.id_of]))
    for action in parser._actions:
        yield from _argument(action)


def _argument(action: argparse.Action) -> Iterator[str]:
    if action.help == argparse.SUPPRESS:
        return
    value = action.metavar or ("|".join(map(str, action.choices)) if action.choices else action.dest.upper())
    if not action.option_strings:
        name = rf"\fI{_text(str(value))}\fR"
    else:
        name = ", ".join(rf"\fB{_text(word)}\fR" for word in action.option_strings)
        name += "" if action.nargs == 0 else rf" \fI{_text(str(value))}\fR"
    yield from (".TP", name, _text(action.help or ""))


def _text(text: str) -> str:
    escaped = text.replace("\\", r"\e").replace("-", r"\-").replace("%%", "%")
    return rf"\&{escaped}" if escaped.startswith((".", "'")) else escaped


if __name__ == "__main__":
    seconds = int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))
    print(page(time.strftime("%Y-%m-%d", time.gmtime(seconds))), end="")
