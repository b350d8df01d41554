"""What other services refuse with: mostly a status and nothing else."""

import json

import pytest
from tests.support.recorded_client import Pair, recorded
from tests.support.recorded_service import TRACE

from patchbay.domain.base import FlowId, TemplateId
from patchbay.domain.errors import (
    AppError,
    AuthRequired,
    Forbidden,
    NotFound,
    RateLimited,
    ServerFault,
    ThirdPartyError,
    TimedOut,
    Unreachable,
    ValidationFailed,
)

JSON = {"content-type": "application/json"}


@pytest.fixture
async def pair():
    async with recorded() as opened:
        yield opened


async def _refused(pair: Pair, *answers: tuple[int, dict[str, str], bytes]) -> AppError:
    """What listing apps raises, when this is answered, the last one again and again."""
    waiting = list(answers)
    pair.service.instead = lambda method, path: waiting.pop(0) if len(waiting) > 1 else waiting[0]
    with pytest.raises(AppError) as refused:
        await pair.backend.list_apps()
    return refused.value


@pytest.mark.parametrize(
    ("status", "kind", "words"),
    [
        (400, ValidationFailed, "couldn't parse"),
        (401, ServerFault, "accepted the same key"),
        (403, Forbidden, "doesn't allow"),
        (413, ValidationFailed, "too large for the server"),
        (500, ServerFault, "failed with an internal error"),
        (404, NotFound, "doesn't exist"),
    ],
)
async def test_errors_without_body_and_content_type_get_words_of_ours(pair: Pair, status, kind, words):
    error = await _refused(pair, (status, {}, b""))

    assert isinstance(error, kind)
    assert words in error.text()


async def test_a_key_is_not_called_wrong_while_the_health_check_fails(pair: Pair):
    pair.service.instead = lambda method, path: (503 if path == "/healthcheck" else 401, {}, b"")
    with pytest.raises(Unreachable) as refused:
        await pair.backend.list_apps()

    assert "its database may be down" in refused.value.meaning
    assert "x-api-token" not in pair.service.heads[-1].lower()


async def test_a_key_that_stays_rejected_is_called_wrong(pair: Pair, monkeypatch):
    monkeypatch.setattr("patchbay.client.service_client.KEY_TRUST_SECONDS", 0.0)

    error = await _refused(pair, (401, {}, b""))

    assert isinstance(error, AuthRequired)
    assert "rejected the API key" in error.text()


async def test_a_stack_trace_is_never_shown(pair: Pair):
    error = await _refused(pair, (500, {"content-type": "text/html; charset=utf-8"}, TRACE))

    assert isinstance(error, ServerFault)
    assert "SyntaxError" not in error.text()


async def test_422_says_what_is_wrong_by_field(pair: Pair):
    body = b'{"errors":{"name":["is too short"],"email":["is odd"]},"meta":{"type":"ValidationError"}}'
    error = await _refused(pair, (422, JSON, body))

    assert error.fields() == {"name": ["is too short"], "email": ["is odd"]}


@pytest.mark.parametrize(
    "body", [b"", b"[]", b'{"errors":"no"}', b'{"errors":{"a":null},"meta":7}', b"<html>"]
)
async def test_422_in_other_shapes_is_a_refusal_all_the_same(pair: Pair, body):
    error = await _refused(pair, (422, JSON, body))

    assert isinstance(error, ValidationFailed)
    assert error.text()


async def test_what_a_third_party_said_is_passed_on(pair: Pair):
    body = b'{"errors":{"error":{"message":"No such sheet"}},"meta":{"type":"HttpError"}}'
    error = await _refused(pair, (422, JSON, body))

    assert isinstance(error, ThirdPartyError)
    assert error.said == "No such sheet"


@pytest.mark.parametrize(
    ("status", "kind"), [(502, Unreachable), (503, Unreachable), (504, TimedOut), (429, RateLimited)]
)
async def test_a_service_that_cannot_just_now_is_asked_three_times(pair: Pair, status, kind):
    error = await _refused(pair, (status, {}, b""))

    assert isinstance(error, kind)
    assert pair.asked == ["GET /v1/apps"] * 3


async def test_a_failure_that_passes_is_not_noticed(pair: Pair):
    empty = b'{"data":[],"meta":{"type":"Object","count":0}}'
    answers = [(503, {"retry-after": "0"}, b""), (429, {}, b""), (200, JSON, empty)]
    pair.service.instead = lambda method, path: answers.pop(0)

    assert await pair.backend.list_apps() == ()


async def test_a_service_with_a_long_retry_after_is_not_called_again_at_once(pair: Pair):
    error = await _refused(pair, (429, {"retry-after": "120"}, b""))

    assert isinstance(error, RateLimited)
    assert error.retry_after == 120
    assert pair.asked == ["GET /v1/apps"]


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
async def test_what_changes_something_is_sent_once(pair: Pair, status):
    pair.service.instead = lambda method, path: (status, {}, b"") if method != "GET" else None

    with pytest.raises(AppError):
        await pair.backend.delete_template(TemplateId("b5000001-0b1c-4d2e-8f30-000000000001"))
    with pytest.raises(AppError):
        await pair.backend.unpublish_flow(FlowId("f1000001-0b1c-4d2e-8f30-000000000001"))

    assert [line.partition(" ")[0] for line in pair.asked] == ["DELETE", "PATCH"]


async def test_a_service_that_answers_only_encrypted_is_reported_as_such(pair: Pair):
    target = "https://automation.example.org/api/v1/apps"
    error = await _refused(pair, (301, {"location": target}, b""))

    assert "requires HTTPS" in error.happened
    assert "https://" in error.todo
    assert pair.asked == ["GET /v1/apps"]


async def test_a_body_that_is_too_large_is_reported(pair: Pair):
    with pytest.raises(ValidationFailed, match="too large for the server"):
        await pair.backend._adapter.send("POST", "/v1/templates", {"name": "x" * 1_100_000})


@pytest.mark.parametrize("extra", [{}, 7, {"blockers": 5}, {"blockers": [{}]}])
async def test_a_response_that_only_looks_like_our_error_format_is_still_reported(pair: Pair, extra):
    meta = {"type": "incompleteStepsError", "happened": "Two things are missing.", "extra": extra}
    body = json.dumps({"errors": {"flow": ["Complete all steps."]}, "meta": meta}).encode()

    error = await _refused(pair, (422, JSON, body))

    assert isinstance(error, ValidationFailed)
