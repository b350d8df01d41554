"""What each endpoint can answer, for /openapi.json only; nothing is checked with it at run time."""

from typing import Any

from pydantic import BaseModel

from patchbay.server.envelope import Failure

Responses = dict[int | str, dict[str, Any]]


def answers(
    model: type[BaseModel] | None, status: int = 200, *, missing: bool = False, checked: bool = False,
    conflict: bool = False,
) -> Responses:  # fmt: skip
    """The success with its model, and the failures: `missing` for ids, `checked` for bodies and rules,
    `conflict` for what does not fit the present state.
    """
    found: Responses = {status: {"model": model} if model else {"description": "Done."}}
    failures = {400: "Malformed request.", 401: "No API key, or an unknown one."}
    if missing:
        failures[404] = "Not there."
    if conflict:
        failures[409] = "Does not fit the present state."
    if checked:
        failures[422] = "Something given is not valid."
    return found | {code: {"model": Failure, "description": words} for code, words in failures.items()}
