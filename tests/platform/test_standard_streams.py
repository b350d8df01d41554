"""The standard streams are UTF-8, and there are always some."""

import io
import sys

from patchbay.platform.standard_streams import prepare_standard_streams


def test_a_pipe_with_another_code_page_gets_utf_8(monkeypatch):
    piped = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(piped, encoding="cp1252"))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("→".encode()), encoding="cp1252"))

    prepare_standard_streams()
    print("new issue → task", flush=True)

    assert piped.getvalue().decode() == "new issue → task\n"
    assert sys.stdin.read() == "→"


def test_a_program_without_a_console_has_streams_all_the_same(monkeypatch):
    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(sys, name, None)

    prepare_standard_streams()

    with sys.stdin, sys.stdout, sys.stderr:
        print("nobody reads this", file=sys.stderr)
        assert sys.stdin.read() == ""
