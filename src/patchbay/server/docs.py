"""What each endpoint can answer, for /openapi.json only; nothing is checked with it at run time.

What every operation can answer (no key, malformed, a defect) is added by `server.description`.
"""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from patchbay.server.envelope import Failure

Responses = dict[int | str, dict[str, Any]]

FAILURE = {"application/json": {"schema": {"$ref": f"#/components/schemas/{Failure.__name__}"}}}
RETRY_AFTER = {
    "Retry-After": {
        "description": "After how many seconds it is worth trying again.", "schema": {"type": "integer"},
    }
}  # fmt: skip


def answers(
    model: type[BaseModel] | None, status: int = 200, *, missing: bool = False, checked: bool = False,
    conflict: bool = False, also: Mapping[int, type[BaseModel]] | None = None,
) -> Responses:  # fmt: skip
    """The success with its model, and the failures: `missing` for ids, `checked` for bodies and rules,
    `conflict` for what does not fit the present state. `also` are further successes.
    """
    found: Responses = {
        status: {"model": model, "description": "Done."} if model else {"description": "Done."}
    }
    found |= {code: {"model": kind, "description": "Accepted."} for code, kind in (also or {}).items()}
    failures: dict[int, str] = {}
    if missing:
        failures[404] = "Not there."
    if conflict:
        failures[409] = "Does not fit the present state."
    if checked:
        failures[422] = "Something given is not valid."
    return found | {code: {"model": Failure, "description": words} for code, words in failures.items()}


def shows(media_type: str, words: str, *, missing: bool = False) -> Responses:
    """A success that is no JSON: a picture, a page, a stream of text."""
    content = {media_type: {"schema": {"type": "string"}}}
    return answers(None, missing=missing) | {200: {"description": words, "content": content}}
