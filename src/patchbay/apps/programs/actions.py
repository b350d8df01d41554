"""The action “Run a program”."""

from collections.abc import Sequence
from itertools import zip_longest

from patchbay.domain.base import JsonObject
from patchbay.integration import (
    Action,
    Context,
    DynamicData,
    Option,
    TimeLimit,
    dropdown,
    rows,
    text,
)
from patchbay.integration.allowed_programs import ProgramCall, ProgramFailed
from patchbay.integration.sandbox import MAX_PRINTED_BYTES, MAX_RESULT_BYTES, ProcessResult
from patchbay.integration.values import count, last_lines, parameter_error, text_of

MAX_SECONDS = 3_600
_DEFAULT_SECONDS = 60
MAX_ARGUMENTS = 200
MAX_ARGUMENTS_LENGTH = 30_000
"""Characters of all arguments. Windows has no room for more."""
MAX_INPUT_LENGTH = 1_000_000
MAX_FAILED_OUTPUT_BYTES = 16 << 10
"""The end of each stream that is kept of a program that failed."""


async def run(ctx: Context) -> None:
    """Run a program, and output what it printed."""
    seconds = count(ctx.parameters, "seconds", "Time limit", default=_DEFAULT_SECONDS, most=MAX_SECONDS)
    given = text_of(ctx.parameters, "stdin")
    if len(given) > MAX_INPUT_LENGTH:
        message = f"The input is longer than {MAX_INPUT_LENGTH:,} characters."
        raise parameter_error("stdin", message, "Write it to a file, and pass the path.")
    folder = text_of(ctx.parameters, "folder")
    call = ProgramCall(
        path=text_of(ctx.parameters, "program"),
        arguments=read_arguments(ctx.parameters, ctx.step.entered),
        # A variable without a value isn't the same as an empty field.
        folder=ctx.files.path(folder, "folder") if folder or ctx.step.entered.get("folder") else None,
        stdin=given.encode("utf-8", "replace"),
        seconds=seconds,
        time_zone=ctx.time_zone,
    )
    done = await ctx.programs.run(call)
    _require_ended(done, seconds)
    if done.code != 0 and text_of(ctx.parameters, "onFailure") != "continue":
        raise ProgramFailed(
            f"The program ended with the exit code {done.code}.",
            output=_printed(done),
            meaning=last_lines(done.last or done.result),
            todo="Correct its arguments, or let the step continue with any exit code.",
        )
    ctx.set_action_item(
        {
            "exitCode": done.code,
            "output": _text(done.result),
            "errors": _text(done.printed),
            "errorsAreComplete": done.printed_bytes == len(done.printed),
        }
    )


def read_arguments(parameters: JsonObject, entered: JsonObject) -> tuple[str, ...]:
    """The arguments of the program. Raises `ValidationFailed` if they are invalid.

    Rows that were left empty are none. One whose variables have no value is an empty argument, so that the
    others keep their places.
    """
    values = _values(parameters)
    defined = _values(entered) if entered else values
    found = tuple(value for value, text in zip_longest(values, defined, fillvalue="") if value or text)
    if len(found) > MAX_ARGUMENTS or sum(map(len, found)) > MAX_ARGUMENTS_LENGTH:
        message = f"There are more than {MAX_ARGUMENTS} arguments or {MAX_ARGUMENTS_LENGTH:,} characters."
        raise parameter_error("arguments", message, "Write the data to a file, and pass its path.")
    if any("\0" in one or any("\ud800" <= sign <= "\udfff" for sign in one) for one in found):
        raise parameter_error("arguments", "An argument has a character that can't be passed to a program.")
    return found


def _values(parameters: JsonObject) -> list[str]:
    rows = parameters.get("arguments")
    return [text_of(row, "value") for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _require_ended(done: ProcessResult, seconds: int) -> None:
    """Raise an error if the program didn't end by itself. Not a temporary one: its effects may remain."""
    if done.timed_out:
        raise ProgramFailed(
            f"The program ran longer than its time limit ({seconds:,} s) and was stopped.",
            output=_printed(done),
            meaning=f"Its effects up to then remain. {last_lines(done.last or done.result)}".strip(),
            todo=f"Reduce its work, or increase its time limit (maximum {MAX_SECONDS:,} seconds).",
        )
    if done.limit_exceeded == "memory":
        raise ProgramFailed(
            "The program needed too much memory and was stopped.",
            output=_printed(done),
            todo="Process less data.",
        )
    if done.limit_exceeded is not None:
        most = MAX_RESULT_BYTES if done.limit_exceeded == "result" else MAX_PRINTED_BYTES
        raise ProgramFailed(
            f"The program printed more than {most >> 20} MB and was stopped.",
            output=_printed(done),
            todo="Let it write to a file instead.",
        )


def _printed(done: ProcessResult) -> JsonObject:
    """What a program printed that failed: the end of it, which says why."""
    errors = done.printed if done.printed_bytes == len(done.printed) else done.last
    parts = {"output": done.result, "errors": errors}
    shown = {name: _text(content[-MAX_FAILED_OUTPUT_BYTES:]) for name, content in parts.items()}
    is_complete = len(done.result) <= MAX_FAILED_OUTPUT_BYTES and done.printed_bytes <= len(errors)
    is_complete = is_complete and len(errors) <= MAX_FAILED_OUTPUT_BYTES
    return {"exitCode": done.code, **shown, "isComplete": is_complete}


def _text(content: bytes) -> str:
    return content.decode("utf-8", "replace").replace("\0", "\ufffd")


async def _load_programs(ctx: Context) -> Sequence[Option]:
    return tuple(Option(label=path, value=path) for path in ctx.programs.allowed)


list_programs = DynamicData(key="listPrograms", load=_load_programs)

run_program = Action(
    key="runProgram",
    name="Run a program",
    description="Runs an installed program that an admin allows, and outputs what it prints.",
    keywords=("command", "script", "execute", "start", "process", "shell"),
    arguments=(
        dropdown(
            "program",
            "Program",
            source="listPrograms",
            required=True,
            description="An admin allows programs in Settings → Engine.",
        ),
        rows(
            "arguments",
            "Arguments",
            (text("value", "Argument"),),
            add="Add argument",
            description="Each row is one argument, with its spaces and quotes as they are. No shell is used.",
        ),
        text(
            "folder",
            "Working folder",
            placeholder="/srv/files",
            description="The full path of an allowed folder; empty: a new one, deleted afterwards. "
            "Programs that read settings from their folder, such as git, make, npm, node, and python, "
            "do what anyone who may write there wants.",
        ),
        text("stdin", "Standard input", multiline=True),
        text(
            "seconds",
            "Time limit in seconds",
            value=str(_DEFAULT_SECONDS),
            variables=False,
            description=f"Up to {MAX_SECONDS:,}. Then the program and all it started are stopped.",
        ),
        dropdown(
            "onFailure",
            "If the exit code isn't 0",
            (("fail", "Fail"), ("continue", "Continue")),
            value="fail",
        ),
    ),
    file_arguments=("folder",),
    program_argument="program",
    time_limit=TimeLimit(argument="seconds", default=_DEFAULT_SECONDS, most=MAX_SECONDS),
    supports_connections=False,
    run=run,
)
