"""The client handed to apps, against a real server on this computer."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from tests.support.patience import PATIENCE
from tests.support.third_party import Reply, Seen, third_party

from patchbay.domain.errors import NotSupported, ThirdPartyError, TimedOut, Unreachable, ValidationFailed
from patchbay.integration import (
    App,
    Auth,
    Context,
    api_key_fields,
    basic_auth,
    bearer,
    header_key,
    http_factory,
    query_key,
)
from patchbay.integration.context import CurrentAuth
from patchbay.integration.http_factory import HttpFactory
from patchbay.integration.response_bodies import MAX_RESPONSE_BYTES

SECRET = "sk-live-0123456789"


async def _nothing(ctx: Context) -> None: ...


async def _fine(ctx: Context) -> bool:
    return True


def an_app(base: str, **changes: Any) -> App:
    app = App(
        name="Shop",
        key="shop",
        supports_connections=True,
        api_base_url=base,
        auth=Auth(fields=api_key_fields(), verify_credentials=_nothing, is_still_verified=_fine),
        before_request=[bearer()],
    )
    return replace(app, **changes)


@pytest.fixture
async def factory() -> AsyncIterator[HttpFactory]:
    factory = HttpFactory(timeout=PATIENCE)
    yield factory
    await factory.aclose()


@pytest.fixture
def context(factory: HttpFactory) -> Callable[..., Context]:
    def make(
        base: str, data: dict | None = None, *, via: HttpFactory | None = None, **changes: Any
    ) -> Context:
        auth = CurrentAuth(data={"screenName": "Mine", "apiKey": SECRET} if data is None else data)
        return Context(app=an_app(base, **changes), auth=auth, http_factory=via or factory, now=0)

    return make


@pytest.fixture
def self_signed(tmp_path: Path) -> ssl.SSLContext:
    """What a server with a home-made certificate uses."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    begin = datetime(2020, 1, 1, tzinfo=UTC)
    builder = builder.serial_number(1).not_valid_before(begin).not_valid_after(begin + timedelta(days=36500))
    file = tmp_path / "server.pem"
    file.write_bytes(
        builder.sign(key, SHA256()).public_bytes(Encoding.PEM)
        + key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    )
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(file)
    return tls


async def test_paths_are_below_the_base_address_and_carry_the_key(context):
    async with third_party(Reply(body={"ok": True})) as shop:
        answer = await context(shop.url + "/api/").http.get(
            "/v1/items?sort=new", params={"page": 2, "all": True}
        )

        assert answer.json() == {"ok": True}
        assert shop.seen[0].path == "/api/v1/items"
        assert shop.seen[0].query == [("sort", "new"), ("page", "2"), ("all", "true")]
        assert shop.seen[0].headers["authorization"] == f"Bearer {SECRET}"


async def test_the_base_address_may_come_from_the_connection(context):
    async with third_party(Reply(body=[])) as shop:
        data = {"instanceUrl": shop.url + "/", "apiKey": "k"}

        await context("{auth.instanceUrl}/api", data).http.get("items")

        assert shop.seen[0].path == "/api/items"


@pytest.mark.parametrize(
    "address", ["", "shop.example.com", "ftp://shop.example.com", "https://", "https://[::"]
)
async def test_an_invalid_instance_address_is_reported_at_its_field(context, address):
    with pytest.raises(ValidationFailed) as caught:
        await context("{auth.instanceUrl}", {"instanceUrl": address}).http.get("/items")

    assert list(caught.value.by_field) == ["instanceUrl"]


async def test_absolute_addresses_are_allowed(context):
    async with third_party(Reply(body=1)) as shop:
        await context("https://elsewhere.invalid", {}).http.get(shop.url + "/a%20b?x=1#part")

        assert shop.seen[0].target == "/a%20b?x=1"


@pytest.mark.parametrize(
    ("hook", "data", "where"),
    [
        (header_key("X-Key"), {"apiKey": " abc\n"}, ("x-key", "abc")),
        (header_key("X-Key", field="token", prefix="T "), {"token": "abc"}, ("x-key", "T abc")),
        (basic_auth(), {"username": "ann", "password": "p:w"}, ("authorization", "Basic YW5uOnA6dw==")),
        (basic_auth(user="apiKey"), {"apiKey": "k"}, ("authorization", "Basic azo=")),
    ],
)
async def test_hooks_put_the_credential_where_it_belongs(context, hook, data, where):
    async with third_party(Reply()) as shop:
        await context(shop.url, data, before_request=[hook]).http.get("/")

        name, value = where
        assert shop.seen[0].headers[name] == value


async def test_a_key_may_travel_in_the_query_and_can_be_left_out_for_one_call(context):
    async with third_party(Reply()) as shop:
        http = context(shop.url, before_request=[query_key("key")]).http
        await http.get("/a", params={"x": "1"})
        await http.get("/b", extra={"skip_auth": True})

        assert [seen.query for seen in shop.seen] == [[("x", "1"), ("key", SECRET)], []]


async def test_bodies_are_sent_as_json_form_or_text(context):
    async with third_party(Reply()) as shop:
        http = context(shop.url).http
        await http.post("/j", json={"a": None})
        await http.put("/f", form={"a": "1 2"})
        await http.patch("/t", content="plain", headers={"Content-Type": "text/plain"})
        await http.delete("/d")

        assert [(seen.method, seen.body) for seen in shop.seen] == [
            ("POST", b'{"a":null}'),
            ("PUT", b"a=1+2"),
            ("PATCH", b"plain"),
            ("DELETE", b""),
        ]
        assert shop.seen[2].headers["content-type"] == "text/plain"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"error": "No such item"}, "No such item"),
        ({"error": {"message": "Bad key", "code": 7}}, "Bad key"),
        ({"error": "invalid_grant", "error_description": "Token expired"}, "Token expired"),
        (
            {"message": "Validation Failed", "errors": [{"message": "title is missing"}]},
            "Validation Failed: title is missing",
        ),
        ({"errors": ["one", "two"]}, "one; two"),
        ({"errors": "Invalid Team API token"}, "Invalid Team API token"),
        ({"errors": {"name": ["is empty"], "age": ["too low", "old"]}}, "name: is empty; age: too low; old"),
        ({"errors": [{"title": "Not found", "detail": "No incident 5"}]}, "No incident 5"),
        ({"title": "Gone fishing"}, "Gone fishing"),
        ("just text\nin two lines", "just text in two lines"),
        ("<html><head><title>Login &amp; go</title></head><body>x</body></html>", "Login & go"),
        ("<Error><Code>Denied</Code><Message>No way</Message></Error>", "Denied No way"),
        ('"Invalid access - API key invalid."', "Invalid access - API key invalid."),
        ({"status": 5}, ""),
        ("", ""),
    ],
)
async def test_a_refusal_carries_the_services_own_words(context, body, said):
    async with third_party(Reply(422, body)) as shop:
        with pytest.raises(ThirdPartyError) as caught:
            await context(shop.url).http.get("/items/5?expand=all")

    assert caught.value.said == said
    assert caught.value.status == 422
    assert caught.value.app == "Shop"
    assert caught.value.request == "GET /items/5"


async def test_words_are_cut_at_three_hundred_characters(context):
    async with third_party(Reply(500, {"message": "x" * 5000})) as shop:
        with pytest.raises(ThirdPartyError) as caught:
            await context(shop.url).http.get("/")

    assert len(caught.value.said) == 300
    assert caught.value.said.endswith("…")


@pytest.mark.parametrize("key", [SECRET, "a+b/c d=é", 'quo"te', "abc"])
async def test_secrets_are_hidden_in_words_details_and_request_line(context, key):
    def echo(request: Seen) -> Reply:
        return Reply(401, {"message": f"Key {key} is wrong", "you": {"sent": [request.target, key]}, key: 1})

    async with third_party(echo) as shop:
        http = context(shop.url, {"apiKey": key}, before_request=[query_key("key")]).http
        with pytest.raises(ThirdPartyError) as caught:
            await http.get(f"/keys/{httpx.QueryParams({'k': key})}")

    told = " ".join([caught.value.text(), str(caught.value.extra()), str(caught.value.details)])
    assert key not in told
    assert "•••" in caught.value.said
    assert "wrong" in caught.value.said


async def test_an_innocent_value_of_the_connection_is_not_hidden(context):
    data = {"screenName": "Mine", "instanceUrl": "http://x", "apiKey": SECRET}
    async with third_party(Reply(400, {"message": "Mine is not allowed"})) as shop:
        with pytest.raises(ThirdPartyError, match="Mine is not allowed"):
            await context(shop.url, data).http.get("/")


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("120", 120),
        ("1.5", 1.5),
        ("Thu, 01 Jan 1970 00:01:00 GMT", 60),
        ("soon", None),
        ("", None),
        ("-5", None),
    ],
)
async def test_retry_after_is_read_in_seconds_or_as_a_date(context, header, seconds):
    async with third_party(Reply(429, {}, {"Retry-After": header})) as shop:
        with pytest.raises(ThirdPartyError) as caught:
            await context(shop.url).http.get("/")

    assert caught.value.retry_after == seconds


async def test_a_refusal_after_a_redirect_names_the_host_that_refused(context):
    async with third_party(Reply(429, {}, {"Retry-After": "9"})) as busy:
        async with third_party(Reply(302, headers={"Location": f"{busy.url}/x"})) as shop:
            with pytest.raises(ThirdPartyError) as after_redirect:
                await context(shop.url, {}).http.get("/")
        with pytest.raises(ThirdPartyError) as direct:
            await context(busy.url, {}).http.get("/")

    assert after_redirect.value.redirected_to == busy.url.removeprefix("http://")
    assert direct.value.redirected_to == ""


async def test_an_answer_that_comes_byte_by_byte_runs_out_of_time(context):
    async def drip(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        while not writer.is_closing():
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(0.02)

    hasty = HttpFactory(timeout=0.3)
    async with third_party(Reply(raw=drip)) as shop:
        with pytest.raises(TimedOut, match=r"0\.3 seconds"):
            await context(shop.url, via=hasty).http.get("/")
    await hasty.aclose()


async def test_an_endless_answer_is_stopped_at_the_limit(context):
    sent = 0

    async def pour(writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
        while not writer.is_closing():
            writer.write(bytes(1024 * 1024))
            await writer.drain()
            sent += 1

    async with third_party(Reply(raw=pour)) as shop:
        with pytest.raises(NotSupported, match="more than 25 MB"):
            await context(shop.url).http.get("/")

    assert sent <= 40


async def test_an_answer_announced_too_large_is_not_read(context):
    async def announce(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (MAX_RESPONSE_BYTES + 1))
        await writer.drain()

    async with third_party(Reply(raw=announce)) as shop:
        with pytest.raises(NotSupported, match="more than 25 MB"):
            await context(shop.url).http.get("/")


async def test_redirects_are_followed_with_the_key_on_the_same_service(context):
    def answer(request: Seen) -> Reply:
        return Reply(302, headers={"Location": "/new"}) if request.path == "/old" else Reply(body="here")

    async with third_party(answer) as shop:
        response = await context(shop.url).http.get("/old")

        assert response.text == "here"
        assert shop.seen[1].headers["authorization"] == f"Bearer {SECRET}"


@pytest.mark.parametrize("hook", [bearer(), header_key("X-Api-Key")])
async def test_the_key_does_not_follow_a_redirect_to_another_service(context, hook):
    async with third_party(Reply(body="stranger")) as stranger:
        away = Reply(302, headers={"Location": stranger.url + "/"})
        async with third_party(away) as shop:
            await context(shop.url, before_request=[hook]).http.get("/")

        assert SECRET not in str(stranger.seen[0].headers)


async def test_a_body_with_the_key_is_not_sent_on_to_another_service(context):
    async with third_party(Reply()) as stranger:
        async with third_party(Reply(307, headers={"Location": stranger.url + "/"})) as shop:
            with pytest.raises(ThirdPartyError):
                await context(shop.url).http.post("/", json={"key": SECRET})

        assert stranger.seen == []


async def test_redirects_in_a_circle_end(context):
    async with third_party(Reply(302, headers={"Location": "/again"})) as shop:
        with pytest.raises(ThirdPartyError, match="rejected"):
            await context(shop.url).http.get("/")

        assert len(shop.seen) == 6


async def test_cookies_are_not_kept_between_requests(context):
    async with third_party(Reply(headers={"Set-Cookie": "session=ann"})) as shop:
        ctx = context(shop.url)
        await ctx.http.get("/")
        await ctx.http.get("/")

        assert "cookie" not in shop.seen[1].headers


async def test_a_closed_port_is_reported(context):
    async with third_party(Reply()) as shop:
        closed = shop.url

    with pytest.raises(Unreachable, match=r"127\.0\.0\.1:\d+ refused the connection"):
        await context(closed).http.get("/")


async def test_an_unknown_host_is_reported(context):
    with pytest.raises(Unreachable, match=r"no-such-host\.invalid"):
        await context("http://no-such-host.invalid").http.get("/")


async def test_an_untrusted_certificate_is_reported(context, self_signed):
    async with third_party(Reply(), tls=self_signed) as shop:
        with pytest.raises(Unreachable, match=r"The certificate of 127\.0\.0\.1:\d+ isn't trusted") as caught:
            await context(shop.url).http.get("/")

    assert "self" in caught.value.meaning


async def test_plain_http_where_https_is_expected_is_reported(context):
    async with third_party(Reply()) as shop:
        with pytest.raises(Unreachable, match="establish a secure connection"):
            await context(shop.url.replace("http://", "https://")).http.get("/")


@pytest.mark.parametrize(
    "wire", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf", b"garbage\r\n\r\n"]
)
async def test_an_answer_that_breaks_off_is_reported(context, wire):
    async def broken(writer: asyncio.StreamWriter) -> None:
        writer.write(wire)
        await writer.drain()

    async with third_party(Reply(raw=broken)) as shop:
        with pytest.raises(Unreachable, match="Shop sent an incomplete or malformed response"):
            await context(shop.url).http.get("/")


async def test_a_header_with_a_line_break_is_refused(context):
    with pytest.raises(ValidationFailed):
        await context("http://127.0.0.1:9").http.get("/", headers={"X-A": "1\r\nX-B: 2"})


async def test_a_web_page_in_place_of_data_is_reported_as_such(context):
    async with third_party(Reply(body="<html>Login</html>")) as shop:
        answer = await context(shop.url).http.get("/")

    with pytest.raises(ThirdPartyError) as caught:
        answer.json()
    assert "web page or text instead of JSON" in caught.value.meaning


async def test_an_expired_token_is_renewed_once_and_the_request_sent_again(context):
    async def refresh(ctx: Context) -> None:
        assert (await ctx.http.post("/token", extra={"skip_auth": True})).status == 200
        await ctx.auth.set(apiKey="fresh")

    def answer(request: Seen) -> Reply:
        fresh = request.headers.get("authorization") == "Bearer fresh"
        return Reply(200 if fresh or request.path == "/token" else 401)

    async with third_party(answer) as shop:
        ctx = context(shop.url)
        ctx.app = replace(ctx.app, auth=replace(ctx.app.auth, refresh_token=refresh))

        assert (await ctx.http.get("/items")).status == 200
        assert [seen.path for seen in shop.seen] == ["/items", "/token", "/items"]


async def test_an_injected_transport_answers_instead_of_the_network(context):
    factory = HttpFactory(httpx.MockTransport(lambda request: httpx.Response(200, json=str(request.url))))

    answer = await context("https://api.shop.example", via=factory).http.get("/v1")

    assert answer.json() == "https://api.shop.example/v1"
    await factory.aclose()


async def test_an_address_can_be_overridden_for_tests_on_this_computer_only(context):
    async with third_party(Reply(body=1)) as shop:
        factory = HttpFactory(address_overrides={"shop": shop.url})
        await context("https://api.shop.example", via=factory).http.get("/v1")
        await factory.aclose()

        assert shop.seen[0].path == "/v1"
    with pytest.raises(ValueError, match="this computer"):
        HttpFactory(address_overrides={"shop": "https://evil.example"})


@pytest.mark.parametrize("charset", ["punycode", "idna", "undefined", "unicode_escape", "rot13", "no-such"])
async def test_a_character_set_that_an_answer_names_reaches_no_other_codec(context, charset):
    """`punycode` takes minutes for a body of this size, `undefined` raises."""
    answer = Reply(body="a-" + "b" * 1_500_000, headers={"content-type": f"text/plain; charset={charset}"})

    async with third_party(answer) as shop, asyncio.timeout(PATIENCE):
        response = await context(shop.url).http.get("/x")

        assert response.text == "a-" + "b" * 1_500_000


async def test_only_calls_for_the_same_connection_or_flow_share_an_open_connection(context):
    opened = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        opened.append(writer)
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                await reader.readuntil(b"\r\n\r\n")
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
        writer.close()

    async def connections_for(connection: str | None, flow: str) -> int:
        ctx = context(url)
        ctx.auth.id, ctx.flow.id = connection, flow
        await ctx.http.get("/")
        return len(opened)

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        users = [("ada", "1"), ("ada", "2"), ("bob", "1"), (None, "1"), (None, "1"), (None, "2")]
        counts = [await connections_for(*user) for user in users]
    finally:
        server.close()
        for writer in opened:
            writer.close()
            await writer.wait_closed()

    assert counts == [1, 1, 2, 3, 3, 4]


async def test_certificates_that_cannot_be_read_are_no_bug(monkeypatch, tmp_path):
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "missing.pem"))
    monkeypatch.setattr(http_factory, "_default_tls", http_factory._default_tls.__wrapped__)

    with pytest.raises(Unreachable, match="certificates of this computer") as raised:
        HttpFactory().default_client  # noqa: B018

    assert "SSL_CERT_FILE" in raised.value.todo
