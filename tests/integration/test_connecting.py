"""Errors that explain why connecting failed, for every protocol."""

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
        (socket.gaierror(-2, "Name or service not known"), "The host mail:25 wasn't found."),
        (ConnectionRefusedError(), "mail:25 refused the connection."),
        (BOTH_REFUSED, "mail:25 refused the connection."),
        (ONE_UNREACHABLE, "Couldn't reach Mail at mail:25."),
        (ssl.SSLError(1, "wrong version number"), "Couldn't establish a secure connection to mail:25."),
        (ConnectionResetError(), "Mail closed the connection."),
        (EOFError(), "Mail closed the connection."),
        (OSError(113, "No route to host"), "Couldn't reach Mail at mail:25."),
    ],
)
@pytest.mark.parametrize("told_through", [wrapped, lambda error: error])
def test_each_cause_is_found_however_deep_it_is(error, words, told_through):
    told = error_from_socket(told_through(error), app="Mail", host="mail:25", seconds=5)

    assert isinstance(told, Unreachable)
    assert told.happened == words
    assert told.todo


def test_waiting_too_long_is_reported_with_the_time():
    told = error_from_socket(wrapped(TimeoutError()), app="Mail", host="mail:25", seconds=5)

    assert isinstance(told, TimedOut)
    assert "after 5 seconds" in told.happened
