"""Listening on Windows."""

import errno
import socket
import sys

import pytest

from patchbay.domain.errors import Conflict
from patchbay.server.listening_socket import bind

EXCLUSIVE = -5


class FakeSocket:
    """Records its options; binding fails with an error."""

    def __init__(self, code: int) -> None:
        self.options: list[int] = []
        self._code = code

    def setsockopt(self, _: int, option: int, value: int) -> None:
        self.options.append(option)

    def bind(self, _: object) -> None:
        raise OSError(self._code, "forbidden")

    def close(self) -> None:
        self.options.append(0)


def test_a_reserved_port_is_explained_and_ports_are_not_shared(monkeypatch):
    fake = FakeSocket(errno.EACCES)
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(socket, "SO_EXCLUSIVEADDRUSE", EXCLUSIVE, raising=False)
    monkeypatch.setattr(socket, "socket", lambda *_: fake)

    with pytest.raises(Conflict, match="reserved by Windows") as raised:
        bind("127.0.0.1", 50_000)

    assert "excludedportrange" in raised.value.meaning
    assert fake.options == [EXCLUSIVE, 0]
