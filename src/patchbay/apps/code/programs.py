"""Runs the program of a step, and describes its errors."""

import json
import re
from collections.abc import Iterable
from dataclasses import replace
from typing import NoReturn

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.errors import AppError, TimedOut, ValidationFailed
from patchbay.integration import Context
from patchbay.integration.sandbox import (
    KEPT_PRINTED_BYTES,
    MAX_PRINTED_BYTES,
    MAX_RESULT_BYTES,
    Limits,
    ProcessResult,
)
from patchbay.integration.values import last_lines, parameter_error

from .arguments import CODE, MAX_SECONDS, parse_inputs, parse_limits, source_code, wants_network
from .languages import Language

_MAX_MESSAGE_LENGTH = 2000
_MAX_LINE_NUMBER = 10_000_000
_MAX_DEPTH = 200
"""The depth that variables can reach. Data nested much deeper can't be stored."""
_NO_NETWORK = re.compile(
    r"Network is unreachable|name resolution|Name or service not known|ENETUNREACH|EAI_AGAIN|ENOTFOUND"
)
"""What programs print or raise if they need a network and have none."""
_SYSTEM_ERROR = re.compile(
    r"(OSError|URLError|gaierror|herror|FileNotFoundError|PermissionError|NotADirectoryError|"
    r"Connection\w*Error|TimeoutError|HTTPError)\b|"
    r"(Error|TypeError|AggregateError|fetch failed)\b.*\b(E[A-Z]{4,}|fetch failed)\b"
)
"""How an error of the operating system begins: an OSError in Python, a system error in Node.js."""


async def run_program(ctx: Context, language: Language) -> None:
    """Run the program. The output has its result as `output`, and the lines it printed as `logs`."""
    program, limits = source_code(ctx.parameters), parse_limits(ctx.parameters)
    given = json.dumps({"code": program, "inputs": parse_inputs(ctx.parameters)}).encode()
    try:
        wanted = replace(language.start(limits), network=wants_network(ctx.parameters))
        process_result = await ctx.required_sandbox.run(wanted, given, ctx.time_zone)
    except OSError as error:
        raise AppError(
            f"Couldn't start {language.name}: {error.strerror or error}.",
            meaning="The program wasn't run.",
            todo="Check that the disk isn't full, then run the step again.",
        ) from error
    is_isolated = ctx.required_sandbox.isolation.isolates_programs and not wanted.network
    output = _output(process_result, language, limits, is_isolated=is_isolated)
    logs: list[Json] = [*process_result.printed.decode("utf-8", "replace").splitlines()]
    if process_result.printed_bytes > KEPT_PRINTED_BYTES:
        logs.append(f"… {process_result.printed_bytes - KEPT_PRINTED_BYTES} more bytes were printed.")
    ctx.set_action_item({"output": output, "logs": logs})


def _output(process_result: ProcessResult, language: Language, limits: Limits, *, is_isolated: bool) -> Json:
    """The result of the program. Raises `TimedOut`, or `ValidationFailed` with the line of the error."""
    if process_result.timed_out:
        raise TimedOut(
            f"The program ran longer than its time limit ({limits.seconds} s) and was stopped.",
            meaning=f"Its effects up to then remain. {last_lines(process_result.last)}".strip(),
            todo=f"Reduce its work, or increase its time limit (maximum {MAX_SECONDS} seconds).",
        )
    if process_result.limit_exceeded == "result":
        raise _stopped_error(
            process_result,
            f"The program returned more than {MAX_RESULT_BYTES >> 20} MB.",
            "Return less data.",
        )
    if process_result.limit_exceeded == "printed":
        raise _stopped_error(
            process_result, f"The program printed more than {MAX_PRINTED_BYTES >> 20} MB.", "Print less."
        )
    if process_result.limit_exceeded == "memory":
        raise _too_large_error(limits, "")
    result = _parse_result(process_result)
    if result is None:
        raise _missing_result_error(process_result, language, limits)
    if isinstance(failed := result.get("failed"), dict):
        _raise_program_error(failed, process_result, limits, is_isolated=is_isolated)
    output = result.get("output")
    if _is_nested_deeper(output, _MAX_DEPTH):
        raise _stopped_error(
            process_result,
            f"The program's result is nested more than {_MAX_DEPTH} levels deep.",
            "Return a flat list or text instead.",
        )
    return output


def _is_nested_deeper(value: Json, most: int) -> bool:
    level = [value]
    for _ in range(most):
        if not (level := [part for item in level for part in _parts(item)]):
            return False
    return any(isinstance(item, (list, dict)) for item in level)


def _parts(value: Json) -> Iterable[Json]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _parse_result(process_result: ProcessResult) -> JsonObject | None:
    try:
        found = json.loads(process_result.result)
        # Half of a surrogate pair isn't a character and can't be stored.
        found = json.loads(json.dumps(found, ensure_ascii=False).encode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _raise_program_error(
    failed: JsonObject, process_result: ProcessResult, limits: Limits, *, is_isolated: bool
) -> NoReturn:
    """The error that the program reported. `is_isolated`: it was isolated and had no network."""
    # The program itself may have written this, so nothing in it is certain.
    kind = failed.get("kind")
    said = failed.get("message")
    line = failed.get("line")
    message = said[:_MAX_MESSAGE_LENGTH] if isinstance(said, str) else ""
    is_known = isinstance(line, int) and not isinstance(line, bool) and 0 < line <= _MAX_LINE_NUMBER
    at = f" in line {line}" if is_known else ""

    if kind == "syntax":
        raise _stopped_error(
            process_result,
            f"The program has a syntax error{at}: {message}.",
            "Correct the program in this step.",
        )
    if kind == "memory":
        raise _too_large_error(limits, at)
    if kind == "no_json":
        raise _stopped_error(
            process_result,
            f"The program's result can't be converted to JSON: {message}.",
            "Return text, numbers, Booleans, lists, or objects.",
        )
    if kind == "uncalled":
        raise _stopped_error(
            process_result,
            f"The program returned nothing. It defines {message[:80]}{at} but doesn't call it.",
            f"End the program with “return {message[:80]}(…)”.",
        )
    if kind == "stuck":
        raise _stopped_error(
            process_result,
            "The program is waiting for an event that never happens.",
            "Check its last “await”.",
        )
    todo = "Correct the program in this step."
    if is_isolated and _SYSTEM_ERROR.match(message):
        todo = (
            "Programs have no network access and can't see this computer's files. "
            "See Network access in this step."
        )
    elif _NO_NETWORK.search(message):
        todo = "If it needs the network, set “Network access” in this step to “Yes”."
    raise _stopped_error(process_result, f"The program stopped{at}: {message.rstrip('.')}.", todo)


def _missing_result_error(process_result: ProcessResult, language: Language, limits: Limits) -> AppError:
    """The error for a process that ended, or was killed, before it reported anything."""
    code = process_result.code or 0
    if b"out of memory" in process_result.last.lower() or -code in language.signals:
        return _too_large_error(limits, "")
    if process_result.result:
        return _stopped_error(
            process_result,
            "The program's result can't be read: other data was written to the result descriptor.",
            "Don't write to the result descriptor. Use print instead.",
        )
    how = f"was terminated by the system (signal {-code})" if code < 0 else f"exited (code {code})"
    return _stopped_error(
        process_result,
        f"The program {how} before returning a result.",
        f"End it with “return”. The step outputs what the {language.name} program returns.",
    )


def _too_large_error(limits: Limits, at: str) -> ValidationFailed:
    return parameter_error(
        CODE,
        f"The program needed more than {limits.megabytes} MB of memory and was stopped{at}.",
        "Process less data at a time, or increase its memory limit.",
    )


def _stopped_error(process_result: ProcessResult, happened: str, todo: str) -> ValidationFailed:
    error = parameter_error(CODE, happened, todo)
    error.meaning = last_lines(process_result.last)
    return error
