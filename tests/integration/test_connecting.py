"""Why no connection came about, told in words for every protocol."""

import socket
import ssl

import pytest

from patchbay.domain.errors import TimedOut, Unreachable
from patchbay.integration.network_errors import error_from_socket


def wrapped(cause: Exception) -> Exception:
    """As libraries hand it on."""
    try:
        raise RuntimeError("cannot connect") from cause
    except RuntimeError as error:
        return error


BOTH_REFUSED = OSError(
    "Multiple exceptions: [Errno 111] Connect call failed ('::1', 1, 0, 0), "
    "[Errno 111] Connect call failed ('127.0.0.1', 1)"
)
ONE_UNREACHABLE = OSError(
    "Multiple exceptions: [Errno 101] Connect call failed ('::1', 1, 0, 0), "
    "[Errno 111] Connect call failed ('127.0.0.1', 1)"
)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (socket.gaierror(-2, "Name or service not known"), "The address mail:25 was not found."),
        (ConnectionRefusedError(), "Nothing answers at mail:25."),
        (BOTH_REFUSED, "Nothing answers at mail:25."),
        (ONE_UNREACHABLE, "Mail cannot be reached at mail:25."),
        (ssl.SSLError(1, "wrong version number"), "No secure connection to mail:25 came about."),
        (ConnectionResetError(), "Mail broke off the connection."),
        (EOFError(), "Mail broke off the connection."),
        (OSError(113, "No route to host"), "Mail cannot be reached at mail:25."),
    ],
)
@pytest.mark.parametrize("told_through", [wrapped, lambda error: error])
def test_each_cause_is_found_however_deep_it_is(error, words, told_through):
    told = error_from_socket(told_through(error), app="Mail", host="mail:25", seconds=5)

    assert isinstance(told, Unreachable)
    assert told.happened == words
    assert told.todo


def test_waiting_too_long_is_told_with_the_time():
    told = error_from_socket(wrapped(TimeoutError()), app="Mail", host="mail:25", seconds=5)

    assert isinstance(told, TimedOut)
    assert "within 5 seconds" in told.happened
