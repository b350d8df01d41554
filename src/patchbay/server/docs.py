"""What each endpoint can answer, for /openapi.json only; nothing is checked with it at run time.

What every operation can answer (no key, malformed, a defect) is added by `server.description`.
"""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from patchbay.server.envelope import Failure

Responses = dict[int | str, dict[str, Any]]

FAILURE_CONTENT = {"application/json": {"schema": {"$ref": f"#/components/schemas/{Failure.__name__}"}}}
RETRY_AFTER_HEADER = {
    "Retry-After": {
        "description": "After how many seconds it is worth trying again.", "schema": {"type": "integer"},
    }
}  # fmt: skip


def describe_responses(
    model: type[BaseModel] | None, status: int = 200, *, not_found: bool = False, invalid: bool = False,
    conflict: bool = False, other_successes: Mapping[int, type[BaseModel]] | None = None,
) -> Responses:  # fmt: skip
    """The success with its model, and the failures: `not_found` for ids, `invalid` for bodies and rules,
    `conflict` for what does not fit the present state. `other_successes` are further successes.
    """
    found: Responses = {
        status: {"model": model, "description": "Done."} if model else {"description": "Done."}
    }
    found |= {
        code: {"model": kind, "description": "Accepted."} for code, kind in (other_successes or {}).items()
    }
    failures: dict[int, str] = {}
    if not_found:
        failures[404] = "Not there."
    if conflict:
        failures[409] = "Does not fit the present state."
    if invalid:
        failures[422] = "Something given is not valid."
    return found | {
        code: {"model": Failure, "description": description} for code, description in failures.items()
    }


def describe_media(media_type: str, description: str, *, not_found: bool = False) -> Responses:
    """A success that is no JSON: a picture, a page, a stream of text."""
    content = {media_type: {"schema": {"type": "string"}}}
    return describe_responses(None, not_found=not_found) | {
        200: {"description": description, "content": content}
    }
