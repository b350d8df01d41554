"""The health port of a worker: which requests get the metrics, and what is sent for HEAD."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from tests.support.patience import PATIENCE

from patchbay.domain.engine import EngineHealth, EngineState
from patchbay.server.health_check import HealthCheck


class RunningEngine:
    state = EngineState.RUNNING

    async def health(self) -> EngineHealth:
        return EngineHealth(state=EngineState.RUNNING)


@pytest.fixture
async def port() -> AsyncIterator[int]:
    async def check_storage() -> None:
        """Events can be stored."""

    check = HealthCheck(RunningEngine(), check_storage, tuple)
    address = await check.listen("127.0.0.1", 0)
    yield int(address.removesuffix("/healthcheck").rpartition(":")[2])
    check.close()


async def fetch(port: int, request_line: str) -> tuple[bytes, bytes]:
    """The head and the body of the response."""
    async with asyncio.timeout(PATIENCE):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(f"{request_line} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        head, _, body = (await reader.read()).partition(b"\r\n\r\n")
        writer.close()
    return head, body


@pytest.mark.parametrize("target", ["/metrics", "/metrics?x=1", "/metrics?"])
async def test_the_metrics_are_found_with_and_without_a_query(port: int, target: str) -> None:
    head, body = await fetch(port, f"GET {target}")

    assert b"text/plain" in head
    assert b"patchbay_" in body


@pytest.mark.parametrize("target", ["/", "/healthcheck?from=proxy", "/metrics/x", "/metricsx", "/x?/metrics"])
async def test_every_other_address_is_the_health_check(port: int, target: str) -> None:
    head, body = await fetch(port, f"GET {target}")

    assert head.startswith(b"HTTP/1.1 200 OK")
    assert b'"status": "running"' in body


@pytest.mark.parametrize("target", ["/healthcheck", "/metrics"])
async def test_head_has_the_length_of_the_body_but_no_body(port: int, target: str) -> None:
    full_head, body = await fetch(port, f"GET {target}")

    head, nothing = await fetch(port, f"HEAD {target}")

    assert nothing == b""
    assert head == full_head
    assert f"content-length: {len(body)}".encode() in head
