"""Responds to the requests with which the server checks that its public address leads to it."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match, Route
from starlette.types import Scope

from patchbay.domain.errors import NotFound
from patchbay.domain.hosting import SELF_TEST_PATH, SELF_TEST_QUERY, SelfTest
from patchbay.server import oauth_callback
from patchbay.server.responses import Meta, json_response


def routes(self_test: SelfTest) -> list[Route]:
    """The routes below the webhook address, and at the redirect address for test requests only."""

    async def webhook(request: Request) -> Response:
        return _respond(self_test, request.path_params["nonce"])

    async def redirect(request: Request) -> Response:
        return _respond(self_test, request.query_params.get(SELF_TEST_QUERY, ""))

    return [
        Route(f"{SELF_TEST_PATH}/{{nonce}}", webhook, methods=["GET"]),
        _SelfTestRoute(oauth_callback.PATH, redirect, methods=["GET"]),
    ]


class _SelfTestRoute(Route):
    """The redirect address for test requests; browsers get the real one."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        if scope["type"] != "http" or not scope["query_string"].startswith(f"{SELF_TEST_QUERY}=".encode()):
            return Match.NONE, {}
        return super().matches(scope)


def _respond(self_test: SelfTest, nonce: str) -> Response:
    proof = self_test.proof(nonce)
    if proof is None:
        raise NotFound("No address test is waiting for this request.")
    meta = Meta(type="Object", count=1, is_array=False)
    return json_response({"data": {"proof": proof}, "meta": meta})
