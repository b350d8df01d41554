"""Tells a service that answers other JSON than an app expects from a bug in the app."""

import itertools
from collections.abc import Iterator

from patchbay.domain.base import Json
from patchbay.domain.errors import AppError, ThirdPartyError
from patchbay.integration.request import Response

SHAPE_ERRORS = (KeyError, IndexError, TypeError, AttributeError)
"""What reading data raises when it isn't shaped as expected."""
_LOOKED_AT = 10_000
"""Values of a response in which a missing name is looked for."""
_MOST_NAMES = 5
_LONGEST_NAME = 40
_MOST_BYTES = 1 << 20


class UnexpectedResponse(ThirdPartyError):
    """A service answered with JSON in which something is missing that the app reads."""

    def __init__(self, response: Response, expected: str, received: str) -> None:
        super().__init__(
            app=response.app,
            said="",
            status=response.status,
            meaning=f"Expected {expected}, but it sent {received}.",
            todo="Check that the address is that of the service. If it is, the app doesn't know this "
            "version of the service.",
        )
        self.happened = f"{response.app} sent an unexpected response."
        self.args = (self.happened,)


def unexpected_response(response: Response | None, error: Exception) -> UnexpectedResponse | None:
    """The error to show instead of one that app code raised while it read this response.

    None when the response has what was read, so that the fault is the app's.
    """
    if response is None or len(response.content) > _MOST_BYTES:
        return None
    try:
        value: Json = response.json()
    except AppError:
        return None
    if isinstance(error, KeyError):
        name = error.args[0] if error.args else None
        if not isinstance(name, str) or name in itertools.islice(_names(value), _LOOKED_AT):
            return None
        return UnexpectedResponse(response, f"an object with “{_short(name)}”", _shape(value))
    if isinstance(error, IndexError):
        return UnexpectedResponse(response, "at least one item", _shape(value)) if not value else None
    if isinstance(value, dict) and value and None not in value.values():
        return None  # an object, as most apps expect: what is wrong with it isn't known
    expected = "an object with its values" if isinstance(value, dict) else "an object"
    return UnexpectedResponse(response, expected, _shape(value))


def _names(value: Json) -> Iterator[str]:
    """The names in all objects of a value, breadth first."""
    level = [value]
    while level:
        objects = [each for each in level if isinstance(each, dict)]
        for each in objects:
            yield from each
        below = itertools.chain(
            *(each.values() for each in objects), *(each for each in level if isinstance(each, list))
        )
        level = list(itertools.islice((each for each in below if isinstance(each, (dict, list))), _LOOKED_AT))


def _shape(value: Json) -> str:
    """A value in words, without its data: “an object with “status” and “items””."""
    if isinstance(value, dict):
        names = [f"“{_short(name)}”" for name in itertools.islice(value, _MOST_NAMES)]
        more = " and others" if len(value) > _MOST_NAMES else ""
        return f"an object with {', '.join(names)}{more}" if names else "an empty object"
    if isinstance(value, list):
        return f"a list of {len(value):,} item{'' if len(value) == 1 else 's'}" if value else "an empty list"
    kinds = {str: "a text", bool: "true or false", int: "a number", float: "a number"}
    return kinds.get(type(value), "nothing (null)")


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}…"
