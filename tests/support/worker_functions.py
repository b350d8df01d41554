"""Functions that tests call in worker processes."""

import os
import re
import sys
import time
from typing import Any, NoReturn

from patchbay.domain.base import Json
from patchbay.domain.errors import ValidationFailed
from patchbay.integration.worker_child import LENGTHS


def echo(value: Json) -> Any:
    return value


def doubled(data: bytes) -> bytes:
    return data * 2


def spin() -> None:
    """Compute without ever giving anything else a chance, as a regular expression does."""
    re.match(r"(a+)+$", "a" * 60 + "b")


def pause(seconds: float) -> float:
    time.sleep(seconds)
    return time.monotonic()


def eat_memory() -> int:
    return len("x" * (4 << 30))


def long_text(length: int) -> str:
    return "x" * length


def crash() -> None:
    os._exit(3)


def forge_reply(lengths: list[int], head: str, body: str, more: int) -> NoReturn:
    """Write this reply in place of the worker's own, then so many bytes; as code that took it over could."""
    replies = 4
    os.write(replies, LENGTHS.pack(*lengths))
    for data in (head.encode(), body.encode(), b"x" * more):
        left = memoryview(data)
        while left:
            left = left[os.write(replies, left) :]
    time.sleep(600)
    os._exit(0)


def refuse() -> NoReturn:
    raise ValidationFailed({"input": ["Not this."]}, happened="Not this.", todo="Something else.")


def fail() -> NoReturn:
    raise KeyError("secret value")


def chatter() -> str:
    print("this is no reply")
    sys.stderr.write("nor is this")
    return "done"


def environment() -> dict[str, str]:
    return dict(os.environ)


def imported(name: str) -> list[str]:
    return [module for module in sys.modules if module.partition(".")[0] == name]


def own_pid() -> int:
    return os.getpid()


def write_file(path: str) -> str:
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write("x")
    except OSError:
        return "refused"
    return "written"


def many_lists(count: int) -> list[list[int]]:
    """Many values in little text."""
    return [[] for _ in range(count)]
