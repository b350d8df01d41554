"""The standard streams: UTF-8 everywhere, and never missing."""

import io
import os
import sys


def prepare_standard_streams() -> None:
    """Read and write UTF-8, whatever the system's code page, and open streams that are missing.

    On Windows, pipes and files have a code page that lacks most characters, and a program without a console
    has no streams at all.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115  stays open
        elif isinstance(stream, io.TextIOWrapper) and _codec(stream) != "utf-8":
            stream.reconfigure(encoding="utf-8", errors="strict" if mode == "r" else "backslashreplace")


def _codec(stream: io.TextIOWrapper) -> str:
    return stream.encoding.lower().replace("_", "-")
