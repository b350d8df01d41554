"""Every operation of the interface asks for a key, but for those that are listed here."""

import re

import httpx
from tests.support.described import description

from patchbay.server.openapi_operations import iter_operations

PUBLIC = frozenset(
    {
        "/healthcheck",
        "/apps/{appKey}/assets/icon.svg",
        "/webhooks/flows/{flowId}",
        "/webhooks/flows/{flowId}/sync",
        "/webhooks/flows/{flowId}/test",
    }
)
"""What strangers may call. docs/reference/http-api.md says so too."""
UNKNOWN = "00000000-0000-4000-8000-0000000000aa"


async def test_a_stranger_gets_nothing_but_what_is_public(stranger: httpx.AsyncClient):
    for path, method, operation in iter_operations(description()):
        answer = await stranger.request(method, re.sub(r"\{\w+\}", UNKNOWN, path), json={})

        assert (answer.status_code == 401) is (path not in PUBLIC), (method, path, answer.status_code)
        assert ("security" in operation) is (path not in PUBLIC), (method, path)
