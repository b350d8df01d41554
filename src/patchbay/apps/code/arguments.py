"""The fields of both actions, and their values."""

from collections.abc import Sequence

from patchbay.domain.base import JsonObject
from patchbay.integration import YES_NO, Argument, OnInterrupted, code, dropdown, rows, text
from patchbay.integration.sandbox import Limits
from patchbay.integration.values import as_bool, number, parameter_error, text_of

CODE = "codeSnippet"
SECONDS, MAX_SECONDS = 30, 300
_ISOLATION = "Settings → Engine shows whether programs are isolated from this computer."
MEGABYTES = 256
MIN_MEGABYTES = 64
MAX_MEGABYTES = 4096


def program_arguments(language: str, preset: str, hint: str) -> tuple[Argument, ...]:
    """The fields of an action; `preset` is the program of a new step."""
    description = f"{hint} What it returns is the output. {_ISOLATION}"
    return (
        rows(
            "inputs",
            "Inputs",
            (
                text("key", "Name", required=True),
                text("value", "Value", required=True, value_type="parse"),
            ),
            value=[{"key": "", "value": ""}],
            description="Values for the program. Lists and objects keep their type; numbers become text.",
            add="Add input",
        ),
        code(CODE, "Program", required=True, value=preset, description=description, language=language),
        text(
            "timeLimit",
            "Time limit in seconds",
            value=str(SECONDS),
            variables=False,
            description=f"Programs that run longer are stopped. Maximum: {MAX_SECONDS}.",
        ),
        text("memoryLimit", "Memory limit in MB", value=str(MEGABYTES), variables=False),
        dropdown(
            "allowNetwork",
            "Network access",
            YES_NO,
            value=False,
            description="Programs have no network access by default. An admin must also allow it in "
            "Settings → Engine.",
        ),
        dropdown(
            "mayRepeat",
            "Safe to repeat",
            YES_NO,
            value=False,
            description="Yes: if Patchbay stops while the program runs, it's run again. No: the run stops "
            "and you decide.",
        ),
    )


def interruption_policy(parameters: JsonObject) -> OnInterrupted:
    """A program can have any effect, so it is repeated only if the user allowed that."""
    return OnInterrupted.REPEAT if as_bool(parameters.get("mayRepeat")) else OnInterrupted.ASK


def wants_network(parameters: JsonObject) -> bool:
    """Whether the step needs the network."""
    return as_bool(parameters.get("allowNetwork"))


def source_code(parameters: JsonObject) -> str:
    """The program of the step."""
    program = text_of(parameters, CODE)
    if not program.strip():
        raise parameter_error(CODE, "This step has no program.", "Enter a program in this step.")
    return program


def parse_inputs(parameters: JsonObject) -> JsonObject:
    """Inputs by name; rows without a name are left out, and the last one of a name counts."""
    given = parameters.get("inputs")
    found = [row for row in given if isinstance(row, dict)] if isinstance(given, list) else []
    return {name: row.get("value") for row in found if (name := text_of(row, "key").strip())}


def parse_limits(parameters: JsonObject) -> Limits:
    """The limits of the step; those left empty have their defaults."""
    seconds = _whole_number(parameters, "timeLimit", "Time limit", SECONDS, (1, MAX_SECONDS))
    between = (MIN_MEGABYTES, MAX_MEGABYTES)
    return Limits(seconds, _whole_number(parameters, "memoryLimit", "Memory limit", MEGABYTES, between))


def _whole_number(parameters: JsonObject, key: str, label: str, default: int, between: Sequence[int]) -> int:
    if not text_of(parameters, key).strip():
        return default
    value = number(parameters, key, label)
    least, most = between
    if value != int(value) or not least <= value <= most:
        raise parameter_error(key, f"{label}: {value} isn't a whole number from {least} to {most}.")
    return int(value)
