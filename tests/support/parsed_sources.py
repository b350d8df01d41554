"""Parses many source files at once."""

import ast
import gc
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def without_collecting() -> Iterator[None]:
    """No garbage collection in the block: it would look at the growing trees again and again."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def parse_all(files: Iterable[Path]) -> dict[Path, ast.Module]:
    """The tree of each file."""
    with without_collecting():
        return {file: ast.parse(file.read_text("utf-8")) for file in files}
