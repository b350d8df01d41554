"""Runs the program of a step and says in words what became of it."""

import json
import re
from collections.abc import Iterable
from dataclasses import replace
from typing import NoReturn

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.errors import AppError, TimedOut, ValidationFailed
from patchbay.integration import Context
from patchbay.integration.sandbox import KEPT_PRINTED, MOST_PRINTED, MOST_RESULT, Limits, ProcessResult
from patchbay.integration.values import refuse

from .arguments import CODE, MOST_SECONDS, asks_for_network, inputs_of, limits_of, program_of
from .languages import Language

_LINES_IN_ERRORS = 3
_LONGEST_MESSAGE = 2000
_LARGEST_LINE = 10_000_000
_MOST_LEVELS = 200
"""As deep as references reach into data. What is nested much deeper can't be kept."""
_NO_NETWORK = re.compile(
    r"Network is unreachable|name resolution|Name or service not known|ENETUNREACH|EAI_AGAIN|ENOTFOUND"
)
"""What programs without a network say when they look for it."""
_SYSTEM_ERROR = re.compile(
    r"(OSError|URLError|gaierror|herror|FileNotFoundError|PermissionError|NotADirectoryError|"
    r"Connection\w*Error|TimeoutError|HTTPError)\b|"
    r"(Error|TypeError|AggregateError|fetch failed)\b.*\b(E[A-Z]{4,}|fetch failed)\b"
)
"""How an error that the system caused begins: an OSError of Python, a system error of Node.js."""


async def run_program(ctx: Context, language: Language) -> None:
    """Put out `output`, what the program returned, and `logs`, the lines it printed."""
    program, limits = program_of(ctx.parameters), limits_of(ctx.parameters)
    given = json.dumps({"code": program, "inputs": inputs_of(ctx.parameters)}).encode()
    try:
        wanted = replace(language.start(limits), network=asks_for_network(ctx.parameters))
        ended = await ctx.sandboxed.run(wanted, given, ctx.time_zone)
    except OSError as error:
        raise AppError(
            f"{language.name} could not be started: {error.strerror or error}.",
            meaning="The program was not run.",
            todo="Look whether the disk is full, then run the step again.",
        ) from error
    shut_in = ctx.sandboxed.isolation.isolates_programs and not wanted.network
    ctx.set_action_item({
        "output": _output(ended, language, limits, shut_in=shut_in), "logs": _lines(ended),
    })  # fmt: skip


def _lines(ended: ProcessResult) -> list[Json]:
    lines: list[Json] = [*ended.printed.decode("utf-8", "replace").splitlines()]
    if ended.printed_bytes > KEPT_PRINTED:
        lines.append(f"… {ended.printed_bytes - KEPT_PRINTED} more bytes were printed.")
    return lines


def _output(ended: ProcessResult, language: Language, limits: Limits, *, shut_in: bool) -> Json:
    """What the program returned. Raises `TimedOut`, or `ValidationFailed` that says where it stopped."""
    if ended.timed_out:
        raise TimedOut(
            f"The program ran longer than {limits.seconds} seconds and was stopped.",
            meaning=f"What it did until then is done.{_printed(ended)}",
            todo=f"Let it do less, or raise its time limit ({MOST_SECONDS} seconds at most).",
        )
    if ended.too_much == "result":
        raise _stopped(ended, f"The program returned more than {MOST_RESULT >> 20} MB.", "Return less.")
    if ended.too_much == "printed":
        raise _stopped(ended, f"The program printed more than {MOST_PRINTED >> 20} MB.", "Print less.")
    if ended.too_much == "memory":
        raise _too_large(limits, "")
    answer = _answer(ended)
    if answer is None:
        raise _no_answer(ended, language, limits)
    if isinstance(failed := answer.get("failed"), dict):
        _refuse(failed, ended, limits, shut_in=shut_in)
    output = answer.get("output")
    if _is_deeper(output, _MOST_LEVELS):
        raise _stopped(
            ended,
            f"What the program returned is nested more than {_MOST_LEVELS} levels deep.",
            "Return a list of the parts instead, or a text.",
        )
    return output


def _is_deeper(value: Json, most: int) -> bool:
    level = [value]
    for _ in range(most):
        if not (level := [part for item in level for part in _parts(item)]):
            return False
    return any(isinstance(item, (list, dict)) for item in level)


def _parts(value: Json) -> Iterable[Json]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _answer(ended: ProcessResult) -> JsonObject | None:
    try:
        found = json.loads(ended.result)
        # Half of a surrogate pair is no character and cannot be stored.
        found = json.loads(json.dumps(found, ensure_ascii=False).encode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _refuse(failed: JsonObject, ended: ProcessResult, limits: Limits, *, shut_in: bool) -> NoReturn:
    """The program says how it failed. `shut_in`: it was isolated and had no network."""
    kind, message = failed.get("kind"), _message(failed)
    at = _place(failed.get("line"))
    if kind == "syntax":
        raise _stopped(ended, f"The program cannot be read{at}: {message}.", "Correct it in this step.")
    if kind == "memory":
        raise _too_large(limits, at)
    if kind == "no_json":
        raise _stopped(
            ended,
            f"What the program returned cannot be written as JSON: {message}.",
            "Return texts, numbers, yes or no, lists, and groups of them.",
        )
    if kind == "uncalled":
        raise _stopped(
            ended,
            f"The program returned nothing, and nothing calls its function {message[:80]}{at}.",
            f"End the program with “return {message[:80]}(…)”.",
        )
    if kind == "stuck":
        raise _stopped(
            ended, "The program waits for something that never comes.", "Look at what it awaits last."
        )
    todo = "Correct it in this step."
    if shut_in and _SYSTEM_ERROR.match(message):
        todo = (
            "Programs have no network access and can't see this computer's files. "
            "See Network access in this step."
        )
    elif _NO_NETWORK.search(message):
        todo = "If it needs the network, set “Network access” in this step to “Yes”."
    raise _stopped(ended, f"The program stopped{at}: {message.rstrip('.')}.", todo)


def _message(failed: JsonObject) -> str:
    message = failed.get("message")
    return message[:_LONGEST_MESSAGE] if isinstance(message, str) else ""


def _place(line: Json) -> str:
    """Where it stopped. The program may write anything in place of the line."""
    known = isinstance(line, int) and not isinstance(line, bool) and 0 < line <= _LARGEST_LINE
    return f" in line {line}" if known else ""


def _no_answer(ended: ProcessResult, language: Language, limits: Limits) -> AppError:
    """The process ended, or was ended by the system, before it could say anything."""
    code = ended.code or 0
    if b"out of memory" in ended.last.lower() or -code in language.signals:
        return _too_large(limits, "")
    if ended.result:
        return _stopped(
            ended,
            "What the program returned cannot be read: something else was written in its place.",
            "Leave the descriptor of the result alone; print instead.",
        )
    how = f"was ended by the system (signal {-code})" if code < 0 else f"ended itself (exit code {code})"
    return _stopped(
        ended,
        f"The program {how} before it returned anything.",
        f"Let it end with “return”; {language.name} programs hand on what they return.",
    )


def _too_large(limits: Limits, at: str) -> ValidationFailed:
    return refuse(
        CODE,
        f"The program needed more than {limits.megabytes} MB of memory and was stopped{at}.",
        "Let it hold less at a time, or raise its memory limit.",
    )


def _stopped(ended: ProcessResult, happened: str, todo: str) -> ValidationFailed:
    error = refuse(CODE, happened, todo)
    error.meaning = _printed(ended).strip()
    return error


def _printed(ended: ProcessResult) -> str:
    """The last lines before it stopped, which often tell why."""
    lines = ended.last.decode("utf-8", "replace").splitlines()[-_LINES_IN_ERRORS:]
    return f" Printed last: {' / '.join(line[:200] for line in lines)}" if lines else ""
