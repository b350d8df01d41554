"""Runs the program of a step and says in words what became of it."""

import asyncio
import json
import os
import shutil
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.errors import AppError, TimedOut, ValidationFailed
from patchbay.integration import Context
from patchbay.integration.values import refuse

from .arguments import CODE, MOST_SECONDS, Limits, inputs_of, limits_of, program_of
from .languages import Language
from .processes import KEPT_PRINTED, MOST_PRINTED, MOST_RESULT, Ended, run_process

_FOLDER = "patchbay-code-"
_LEFT_SECONDS = 24 * 3600
"""Age at which the folder of a program is surely nobody's any more; none may run nearly as long."""
_LINES_IN_ERRORS = 3
_NEEDED_ON_WINDOWS = ("SYSTEMROOT", "SYSTEMDRIVE", "COMSPEC")


async def run_program(ctx: Context, language: Language) -> None:
    """Put out `output`, what the program returned, and `logs`, the lines it printed."""
    program, limits = program_of(ctx.parameters), limits_of(ctx.parameters)
    given = json.dumps({"code": program, "inputs": inputs_of(ctx.parameters)}).encode()
    try:
        ended = await _run(language.words(limits), given, limits, ctx)
    except OSError as error:
        raise AppError(
            f"{language.name} could not be started: {error.strerror or error}.",
            meaning="The program was not run.",
            todo="Look whether the disk is full, then run the step again.",
        ) from error
    ctx.set_action_item({"output": _output(ended, language, limits), "logs": _lines(ended)})


async def _run(words: Sequence[str], given: bytes, limits: Limits, ctx: Context) -> Ended:
    """Run in an empty folder that is removed afterwards."""
    folder = Path(tempfile.mkdtemp(prefix=_FOLDER))
    try:
        return await run_process(words, given, limits, folder, _environment(folder, ctx.time_zone))
    finally:
        await asyncio.to_thread(_remove, folder, ctx.now / 1000 - _LEFT_SECONDS)


def _remove(folder: Path, before: float) -> None:
    """This one, and those unchanged since `before`: who was killed could not remove them."""
    shutil.rmtree(folder, ignore_errors=True)
    for other in folder.parent.glob(f"{_FOLDER}*"):
        with suppress(OSError):
            if other.lstat().st_mtime < before:
                shutil.rmtree(other, ignore_errors=True)


def _environment(folder: Path, time_zone: str) -> dict[str, str]:
    """Nothing of ours but what a process cannot do without: no keys, no home, no search path."""
    here = str(folder)
    if os.name == "nt":
        kept = {name: os.environ[name] for name in _NEEDED_ON_WINDOWS if name in os.environ}
        return {**kept, "USERPROFILE": here, "TEMP": here, "TMP": here, "PATH": here}
    return {"HOME": here, "TMPDIR": here, "PATH": here, "LANG": "C.UTF-8", "TZ": time_zone}


def _lines(ended: Ended) -> list[Json]:
    lines: list[Json] = [*ended.printed.decode("utf-8", "replace").splitlines()]
    if ended.printed_bytes > KEPT_PRINTED:
        lines.append(f"… {ended.printed_bytes - KEPT_PRINTED} more bytes were printed.")
    return lines


def _output(ended: Ended, language: Language, limits: Limits) -> Json:
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
    answer = _answer(ended)
    if answer is None:
        raise _no_answer(ended, language, limits)
    if isinstance(failed := answer.get("failed"), dict):
        _refuse(failed, ended, limits)
    return answer.get("output")


def _answer(ended: Ended) -> JsonObject | None:
    try:
        found = json.loads(ended.result)
        # Half of a surrogate pair is no character and cannot be stored.
        found = json.loads(json.dumps(found, ensure_ascii=False).encode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _refuse(failed: JsonObject, ended: Ended, limits: Limits) -> NoReturn:
    """The program says how it failed."""
    kind, message = failed.get("kind"), str(failed.get("message") or "")
    at = f" in line {failed['line']}" if failed.get("line") else ""
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
    if kind == "stuck":
        raise _stopped(
            ended, "The program waits for something that never comes.", "Look at what it awaits last."
        )
    raise _stopped(ended, f"The program stopped{at}: {message.rstrip('.')}.", "Correct it in this step.")


def _no_answer(ended: Ended, language: Language, limits: Limits) -> AppError:
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


def _stopped(ended: Ended, happened: str, todo: str) -> ValidationFailed:
    error = refuse(CODE, happened, todo)
    error.meaning = _printed(ended).strip()
    return error


def _printed(ended: Ended) -> str:
    """The last lines before it stopped, which often tell why."""
    lines = ended.last.decode("utf-8", "replace").splitlines()[-_LINES_IN_ERRORS:]
    return f" Printed last: {' / '.join(line[:200] for line in lines)}" if lines else ""
