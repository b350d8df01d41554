"""The order of names in lists: case doesn't matter, and 9 comes before 40."""

import re

_DIGITS = re.compile(r"([0-9]+)")


def by_name(name: str) -> tuple[str | tuple[int, str], ...]:
    """A sort key for names as people write them: "Orders 9" before "orders 40".

    Texts and numbers alternate, beginning with a text, so that two keys can always be compared.
    Numbers compare by length and then by digits: Python doesn't read very long ones.
    """
    pieces = _DIGITS.split(name.casefold())
    return tuple(_number(piece) if at % 2 else piece for at, piece in enumerate(pieces))


def _number(digits: str) -> tuple[int, str]:
    digits = digits.lstrip("0")
    return len(digits), digits
