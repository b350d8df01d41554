"""The log: one line per record, whatever names contain, and a limited number of lines."""

import logging
import os
import re
import sys
import threading

import pytest
from filelock import FileLock

from patchbay.platform import logs
from patchbay.platform.logs import FILE_NAME, FloodFilter, RedactingFormatter


class Seconds:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock():
    return Seconds()


@pytest.fixture
def written(clock):
    """A logger, and the lines it wrote."""
    lines: list[str] = []

    class Lines(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(self.format(record))

    logger, handler = logging.getLogger("attacked"), Lines()
    handler.setFormatter(RedactingFormatter("%(levelname)s %(name)s: %(message)s"))
    handler.addFilter(FloodFilter(clock))
    logger.addHandler(handler)
    yield logger, lines
    logger.removeHandler(handler)


@pytest.mark.parametrize(
    "name",
    [
        "a\n2026-11-22 ERROR patchbay: forged",
        "a\r\nb",
        "a\x0bb",
        "a\x0cb",
        "a\x1b[2Jb",
        "a\x85b",
        "a\u2028b",
        "a\u2029b",
        "a\x00b",
        "a\u202eb",
        "a\x9b31mb",
    ],
)
def test_a_name_cannot_begin_a_line_or_command_the_terminal(written, name):
    logger, lines = written

    logger.warning("The flow “%s” was paused.", name)

    assert len(lines[0].splitlines()) == 1
    assert lines[0].isprintable()
    assert lines[0].startswith("WARNING attacked: The flow “a\\")


def test_in_a_traceback_nothing_looks_like_a_record(written):
    logger, lines = written
    try:
        raise ValueError("a\n2026-11-22 ERROR patchbay: forged\r2026 ERROR\u2028 token=sk-live-12345")
    except ValueError:
        logger.exception("failed")

    first, *more = lines[0].split("\n")
    assert first == "ERROR attacked: failed"
    assert all(line.startswith("    ") for line in more)
    assert "\r" not in lines[0]
    assert "\u2028" not in lines[0]
    assert "sk-live-12345" not in lines[0]


def test_equal_lines_are_counted_instead_of_written(written, clock):
    logger, lines = written
    for number in range(10_002):
        if number == 10_000:
            assert len(lines) == FloodFilter.MAX_SAME
            clock.now += FloodFilter.SECONDS
        logger.error("out of descriptors")

    assert lines[-2:] == [
        f"ERROR attacked: out of descriptors (repeated {10_000 - FloodFilter.MAX_SAME} times)",
        "ERROR attacked: out of descriptors",
    ]


def test_lines_that_differ_in_a_detail_are_bounded_too(written):
    logger, lines = written
    for number in range(10_000):
        logger.warning("wrong keys from 10.0.%d.%d", number // 256, number % 256)
    logger.warning("something else")

    assert len(lines) == FloodFilter.MAX_SIMILAR + 1
    assert lines[-1].endswith("something else")


def test_the_memory_for_floods_is_bounded():
    floods = FloodFilter()
    for number in range(5000):
        floods.filter(logging.LogRecord("a", 30, "path", number, f"{number}", None, None))

    assert len(floods._kinds) <= FloodFilter._MAX_KINDS


class Unprintable:
    def __str__(self) -> str:
        raise RuntimeError("no text")


@pytest.mark.parametrize(
    ("message", "argument"), [("%d items", "three"), ("%s", Unprintable()), (Unprintable(), None)]
)
def test_a_message_that_cannot_be_formatted_does_not_fail_its_caller(
    tmp_path, monkeypatch, message, argument
):
    monkeypatch.setattr(logging, "raiseExceptions", False)
    logger, handler = logging.getLogger("mistaken"), logging.FileHandler(tmp_path / FILE_NAME)
    handler.addFilter(FloodFilter())
    logger.addHandler(handler)
    try:
        logger.error(message, *([] if argument is None else [argument]))
        logger.error("next")
    finally:
        logger.removeHandler(handler)
        handler.close()

    assert (tmp_path / FILE_NAME).read_text() == "next\n"


def test_threads_that_log_at_once_do_not_fail(monkeypatch):
    monkeypatch.setattr(FloodFilter, "_MAX_KINDS", 1)
    floods, failures = FloodFilter(), []

    def log_many(thread: int) -> None:
        try:
            for number in range(3000):
                floods.filter(logging.LogRecord("a", 30, "path", thread, f"{number}", None, None))
        except Exception as error:  # noqa: BLE001  a thread can't raise into the test
            failures.append(error)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=log_many, args=(thread,)) for thread in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)

    assert failures == []


def test_both_handlers_of_the_program_write_the_same_lines(tmp_path, capfd):
    root = logging.getLogger()
    before, level = list(root.handlers), root.level
    try:
        logs.set_up_logging(tmp_path)
        for _ in range(500):
            logging.getLogger("attacked").error("again\nand again")
    finally:
        for handler in set(root.handlers) - set(before):
            root.removeHandler(handler)
            handler.close()
        root.setLevel(level)

    said, kept = capfd.readouterr().err, (tmp_path / FILE_NAME).read_text("utf-8")
    assert kept == said
    assert len(re.findall(r"again\\nand again\n", kept)) == FloodFilter.MAX_SAME


def test_every_process_writes_a_log_file_of_its_own(tmp_path):
    with FileLock(tmp_path / f".{FILE_NAME}.lock"):  # as a window that is open
        assert logs.log_file(tmp_path).name == "patchbay-2.log"

    assert logs.log_file(tmp_path).name == FILE_NAME
    assert logs.log_file(tmp_path).name == FILE_NAME  # the same process again


def test_log_files_of_processes_that_ended_long_ago_are_deleted(tmp_path):
    old = [tmp_path / name for name in ("patchbay-2.log", "patchbay-2.log.1")]
    new, first = tmp_path / "patchbay-3.log", tmp_path / FILE_NAME
    for file in (*old, new, first):
        file.touch()
    for file in (*old, first):
        os.utime(file, (0, 0))

    logs.delete_abandoned_logs(tmp_path)

    assert {file.name for file in tmp_path.glob("patchbay*")} == {FILE_NAME, "patchbay-3.log"}


def test_a_log_file_that_cannot_be_renamed_is_written_all_the_same(tmp_path, monkeypatch):
    def fail(*_: object) -> None:
        raise PermissionError(13, "The file is in use")

    monkeypatch.setattr(logs, "MAX_BYTES", 10)
    monkeypatch.setattr(os, "rename", fail)
    handler = logs._LogFile(tmp_path / FILE_NAME)
    try:
        for line in ("the first line", "the second line"):
            handler.handle(logging.LogRecord("a", 30, "path", 1, line, None, None))
    finally:
        handler.close()

    assert (tmp_path / FILE_NAME).read_text() == "the first line\nthe second line\n"
