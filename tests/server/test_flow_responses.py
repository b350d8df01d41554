"""What a flow answers can't speak for the service: headers, sandbox, workers, and origins of their own."""

from typing import Any

import pytest
from tests.support import patient
from tests.support.raw_http import ask, request

from patchbay.domain.ports import WebhookResponse
from patchbay.server.webhooks import build_response

TAKING_OVER = {
    "Service-Worker-Allowed": "/",
    "Set-Cookie": "a=b",
    "Set-Cookie2": "a=b",
    "Clear-Site-Data": '"*"',
    "Content-Security-Policy": "default-src *",
    "Content-Security-Policy-Report-Only": "default-src *",
    "X-Content-Security-Policy": "default-src *",
    "X-WebKit-CSP": "default-src *",
    "Refresh": "0;url=/docs",
    "Link": "</docs>; rel=preload",
    "Strict-Transport-Security": "max-age=9",
    "Public-Key-Pins": "x",
    "Alt-Svc": 'h2="evil.example:443"',
    "NEL": "{}",
    "Report-To": "{}",
    "Reporting-Endpoints": 'a="https://e"',
    "Origin-Agent-Cluster": "?0",
    "Cross-Origin-Opener-Policy": "unsafe-none",
    "Cross-Origin-Embedder-Policy": "unsafe-none",
    "Cross-Origin-Resource-Policy": "cross-origin",
    "X-Frame-Options": "ALLOWALL",
    "Permissions-Policy": "*",
    "Feature-Policy": "*",
    "Document-Policy": "x",
    "Access-Control-Allow-Origin": "https://evil.example",
    "Access-Control-Allow-Credentials": "true",
    "Access-Control-Allow-Private-Network": "true",
    "Referrer-Policy": "unsafe-url",
    "SourceMap": "/x",
    "X-Content-Type-Options": "none",
    "Origin-Trial": "x",
    "Speculation-Rules": '"/x"',
    "Critical-CH": "x",
    "Accept-CH": "x",
    "Expect-CT": "x",
    "Observe-Browsing-Topics": "?1",
    "Set-Login": "logged-in",
    "Supports-Loading-Mode": "x",
    "No-Vary-Search": "params",
    "Use-As-Dictionary": "x",
    "Activate-Storage-Access": "x",
    "X-Accel-Redirect": "/etc/passwd",
    "X-Sendfile": "/etc/passwd",
    "X-LIGHTTPD-send-file": "/etc/passwd",
    "X-Reproxy-URL": "http://127.0.0.1/",
    "X-Forwarded-For": "1.2.3.4",
    "Proxy-Authenticate": "Basic",
    "Content-Encoding": "gzip",
    "Transfer-Encoding": "chunked",
    "Content-Length": "1",
    "Trailer": "x",
    "X-Api-Token": "x",
    "X-SourceMap": "/x",
    "Content-Type": "multipart/x-mixed-replace; boundary=b",
    "Upgrade": "h2c",
    "Server": "x",
    "Timing-Allow-Origin": "*",
}
IN_USE = {
    "Content-Type": "text/csv",
    "Content-Disposition": 'attachment; filename="a.csv"',
    "Cache-Control": "max-age=5",
    "ETag": '"1"',
    "Last-Modified": "Sun, 22 Nov 2026 12:00:00 GMT",
    "Content-Language": "de",
    "Vary": "Accept",
    "Retry-After": "9",
    "Location": "https://example.org/thanks",
    "X-Request-Id": "7",
    "X-Total-Count": "3",
    "X-Anything": "goes",
    "WWW-Authenticate": 'Basic realm="x"',
    "Allow": "GET",
    "Deprecation": "true",
}


def test_headers_with_which_a_page_takes_over_its_origin_are_dropped():
    response = build_response(WebhookResponse(status=200, headers=TAKING_OVER, body="x"))

    assert set(response.headers) <= {"content-type", "content-length"}
    assert response.headers["content-length"] == "1"
    assert response.headers["content-type"] == "text/plain; charset=utf-8"


def test_headers_that_describe_the_content_are_passed_on():
    response = build_response(WebhookResponse(status=200, headers=IN_USE, body="x"))

    assert {name: response.headers.get(name) for name in IN_USE} == IN_USE


@pytest.mark.parametrize(
    ("address", "passed_on"),
    [
        ("https://example.org/a?b=c", True),
        ("http://example.org", True),
        ("/thanks", True),
        ("thanks.html", True),
        ("?done", True),
        ("javascript:alert(1)", False),
        ("data:text/html,x", False),
        ("//evil.example", False),
        ("/\\evil.example", False),
        ("\\\\evil.example", False),
        ("file:///etc/passwd", False),
    ],
)
def test_a_caller_is_sent_to_addresses_of_the_web_only(address, passed_on):
    response = build_response(WebhookResponse(status=302, headers={"Location": address}))

    assert ("location" in response.headers) is passed_on


@pytest.mark.parametrize(("status", "sent"), [(0, 502), (101, 502), (99999, 502), (204, 204), (304, 304)])
def test_a_status_that_cannot_be_sent_or_has_no_content_breaks_nothing(status, sent):
    response = build_response(WebhookResponse(status=status, body="x"))

    assert (response.status_code, response.body == b"x") == (sent, sent == 502)


async def test_over_http_every_answer_of_a_flow_is_in_the_sandbox(
    service, runtime, webhook_flow, monkeypatch
):
    async def answered(*args: object, **named: Any) -> WebhookResponse:
        return WebhookResponse(status=200, headers=TAKING_OVER, body="<script>1</script>")

    monkeypatch.setattr(runtime.engine, "deliver", answered)
    path = f"/webhooks/flows/{webhook_flow.id}/sync"

    other = (request(path, method="OPTIONS"), request("/webhooks/flows/x"), request("/webhooks/x"))
    for sent in (request(path), *other):
        answer = await ask(service.base_url, sent)
        assert answer.headers["content-security-policy"] == "sandbox allow-forms allow-popups allow-scripts"
        assert answer.names.count("content-security-policy") == 1
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert not {"service-worker-allowed", "set-cookie", "refresh", "link"} & set(answer.headers)


@pytest.mark.parametrize(
    "path", ["/healthcheck", "/docs", "/docs/swagger-ui.css", "/oauth/callback", "/webhooks/{}"]
)
async def test_nothing_is_a_service_worker(service, webhook_flow, path):
    target = path.format(f"flows/{webhook_flow.id}")

    answer = await ask(service.base_url, request(target, "Service-Worker: script"))

    assert answer.status == 403
    assert answer.json["meta"]["type"] == "Forbidden"


async def test_cors_is_ours_whatever_the_flow_says(service, runtime, webhook_flow, monkeypatch):
    async def answered(*args: object, **named: Any) -> WebhookResponse:
        return WebhookResponse(status=200, headers=TAKING_OVER, body="x")

    monkeypatch.setattr(runtime.engine, "deliver", answered)
    async with patient.AsyncClient(base_url=service.base_url) as client:
        answer = await client.get(f"/webhooks/flows/{webhook_flow.id}/sync")

    assert answer.headers["access-control-allow-origin"] == "*"
    assert "access-control-allow-credentials" not in answer.headers


@pytest.mark.parametrize(
    "value", ["multipart/mixed; boundary=b", "text/html, multipart/x-mixed-replace; boundary=b"]
)
def test_a_body_whose_parts_have_headers_is_not_passed_on_as_one(value):
    response = build_response(WebhookResponse(status=200, headers={"Content-Type": value}, body="x"))

    assert response.headers["content-type"] == "text/plain; charset=utf-8"
