"""Requests of other methods than the usual ones, as calendars and file stores have them."""

from collections.abc import AsyncIterator, Callable

import pytest
from tests.support.patience import PATIENCE
from tests.support.third_party import Reply, Seen, third_party

from patchbay.integration import App, basic_auth
from patchbay.integration.context import Context, CurrentAuth
from patchbay.integration.http_factory import HttpFactory

BODY = '<propfind xmlns="DAV:"/>'
XML = {"Content-Type": "application/xml", "Depth": "1"}


@pytest.fixture
async def context() -> AsyncIterator[Callable[[str], Context]]:
    factory = HttpFactory(timeout=PATIENCE)

    def make(base: str) -> Context:
        app = App(name="Dav", key="dav", api_base_url=base, before_request=[basic_auth()])
        auth = CurrentAuth(data={"username": "ann", "password": "secret-1234"})
        return Context(app=app, auth=auth, http_factory=factory)

    yield make
    await factory.aclose()


@pytest.mark.parametrize("method", ["PROPFIND", "REPORT", "MKCALENDAR", "MKCOL"])
async def test_any_method_may_carry_xml(context, method):
    async with third_party(Reply(status=207, body="<multistatus/>")) as server:
        answer = await context(server.url).http.request(method, "/cal/", content=BODY, headers=XML)

        [seen] = server.seen
        assert (answer.status, answer.text) == (207, "<multistatus/>")
        assert (seen.method, seen.body.decode(), seen.headers["depth"]) == (method, BODY, "1")


def moved(status: int) -> Callable[[Seen], Reply]:
    """A service whose `/old` is now at `/new`."""
    return lambda seen: (
        Reply(status, headers={"Location": "/new"}) if seen.path == "/old" else Reply(body="ok")
    )


@pytest.mark.parametrize(
    ("method", "status", "then"),
    [
        ("PROPFIND", 301, "PROPFIND"),
        ("PROPFIND", 302, "PROPFIND"),
        ("PROPFIND", 303, "PROPFIND"),
        ("REPORT", 307, "REPORT"),
        ("PUT", 302, "PUT"),
        ("DELETE", 302, "DELETE"),
        ("PUT", 303, "GET"),
        ("POST", 302, "GET"),
        ("POST", 307, "POST"),
    ],
)
async def test_a_request_that_is_sent_on_stays_what_it_was(context, method, status, then):
    async with third_party(moved(status)) as server:
        await context(server.url).http.request(method, "/old", content=BODY, headers=XML)

        _, seen = server.seen
        assert (seen.method, seen.path) == (then, "/new")
        assert seen.body.decode() == ("" if then == "GET" else BODY)
        assert seen.headers["authorization"].startswith("Basic ")
