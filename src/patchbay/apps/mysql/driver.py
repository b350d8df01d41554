"""The MySQL driver, imported only when a connection is opened."""

import asyncio
import ssl
from collections.abc import Sequence
from typing import Any

import aiomysql
from pymysql.constants import CLIENT

from patchbay.integration.outgoing_addresses import address_attempts
from patchbay.integration.sql import CONNECT_SECONDS, Login
from patchbay.integration.sql.server import ReceivedBytes, TooMuchReceived

NO_TLS = "the server offers no TLS"


class _Connection(aiomysql.Connection):
    """A connection that fails if encryption is required and not offered; the driver alone would continue
    without.

    Also limits how much the server may send; the driver alone joins packets without limit.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._received = ReceivedBytes()

    async def _request_authentication(self) -> None:
        if self._ssl_context and not self.server_capabilities & CLIENT.SSL:
            raise ssl.SSLError(NO_TLS)
        await super()._request_authentication()

    async def _read_bytes(self, num_bytes: int) -> bytes:
        try:
            self._received.count(num_bytes)
        except TooMuchReceived:
            self.close()
            raise
        data: bytes = await super()._read_bytes(num_bytes)
        return data


async def connect(logins: Sequence[Login]) -> aiomysql.Connection:
    """Connect to the first of these logins (same server, different addresses) that responds.

    Every statement is committed on its own. Rows are counted if they match, even if they don't change.
    """
    by_address = {login.host: login for login in logins}
    for address, attempt in address_attempts(list(by_address)):
        with attempt:
            return await _connect(by_address[address])
    raise AssertionError("the last attempt returns or raises")


async def _connect(login: Login) -> aiomysql.Connection:
    connection = _Connection(
        host=login.host,
        port=login.port,
        user=login.user,
        password=login.password.encode().decode(
            "latin-1"
        ),  # the driver decodes it, and the server compares UTF-8
        db=login.database,
        charset="utf8mb4",
        autocommit=True,
        client_flag=CLIENT.FOUND_ROWS,
        ssl=login.tls,
        program_name="Patchbay",
        connect_timeout=CONNECT_SECONDS,
    )
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            await connection.ping(reconnect=True)
    except BaseException as error:
        if not connection.closed:
            connection.close()
        if isinstance(error, aiomysql.OperationalError) and isinstance(error.__cause__, OSError):
            raise error.__cause__ from None  # wrapped by the driver if no address responds
        raise
    return connection
