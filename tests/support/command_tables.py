"""The list of commands in docs/reference/cli.md, made from the registry; run as a program, this writes it."""

import argparse
from pathlib import Path

from patchbay.cli.commands import COMMANDS, GROUPS, ID_OR_NAME, START_OF_ID, Command

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "cli.md"
BEGIN, END = "<!-- commands -->\n", "<!-- /commands -->\n"


def tables() -> str:
    """Each command with its usage, its help, and its arguments."""
    chapters: dict[str, list[Command]] = {}
    for command in COMMANDS:
        chapters.setdefault(command.group or command.name, []).append(command)
    return "\n".join(_chapter(name, commands) for name, commands in chapters.items())


def _chapter(name: str, commands: list[Command]) -> str:
    intro = f"{_sentence(GROUPS[name])}\n\n" if name in GROUPS else ""
    return f"### patchbay {name}\n\n{intro}" + "\n".join(_entry(command) for command in commands)


def _entry(command: Command) -> str:
    parser = argparse.ArgumentParser(add_help=False)
    command.add_arguments(parser)
    known = {"execution": START_OF_ID, "flow": ID_OR_NAME, "connection": ID_OR_NAME}
    arguments = [("ID", known[command.id_of])] if command.id_of else []
    arguments += [(_spelled(action), action.help or "") for action in parser._actions]
    words = " ".join(["patchbay", command.name, *[name for name, _ in arguments if name[0] != "-"]])
    rows = "".join(f"| `{name}` | {text} |\n".replace("|  |", "| |") for name, text in map(_cells, arguments))
    table = f"\n| argument | |\n|---|---|\n{rows}" if arguments else ""
    return f"`{words}`: {command.help}.\n{table}"


def _spelled(action: argparse.Action) -> str:
    """An argument as it is typed, such as `--port PORT`."""
    value = action.metavar or (None if action.choices is None else "|".join(map(str, action.choices)))
    if not action.option_strings:
        return str(value or action.dest)
    name = action.option_strings[0]
    return name if action.nargs == 0 else f"{name} {value or name.strip('-').upper().replace('-', '_')}"


def _cells(argument: tuple[str, str]) -> tuple[str, str]:
    return argument[0].replace("|", "\\|"), argument[1].replace("|", "\\|")


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def written() -> str:
    """The list as the page has it."""
    return PAGE.read_text("utf-8").partition(BEGIN)[2].partition(END)[0]


def write() -> None:
    before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
    PAGE.write_text(before + BEGIN + tables() + END + rest.partition(END)[2], "utf-8")


if __name__ == "__main__":
    write()
