"""The error tree and its way through HTTP."""

import pytest

from patchbay.domain import errors
from patchbay.domain.base import StepId
from patchbay.domain.blockers import Blocker
from patchbay.domain.error_wire import from_wire, to_wire
from patchbay.domain.errors import (
    AlreadyTaken,
    AppError,
    AuthRequired,
    ComputationStopped,
    Conflict,
    DifferentAccount,
    FlowNotReady,
    Forbidden,
    NotFound,
    NotSupported,
    PayloadTooLarge,
    RateLimited,
    RunTreeFull,
    SecretsUnavailable,
    ServerFault,
    StorageFault,
    ThirdPartyError,
    TimedOut,
    Unreachable,
    ValidationFailed,
)

EVERY_KIND: list[AppError] = [
    *(
        kind("It happened.", meaning="It means.", todo="Do this.")
        for kind in (
            NotFound,
            Conflict,
            AuthRequired,
            Forbidden,
            Unreachable,
            TimedOut,
            StorageFault,
            PayloadTooLarge,
        )
    ),
    ValidationFailed({"name": ["Enter a name."]}, meaning="No change was made."),
    AlreadyTaken({"email": ["Somebody has this address."]}, meaning="No change was made."),
    FlowNotReady(
        [Blocker(step_id=StepId("s"), position=2, field="url", reason="Enter URL."), Blocker(reason="Add.")]
    ),
    DifferentAccount(before="anna@example.org", now="ops@example.org"),
    RateLimited("Slow down.", retry_after=2.5),
    RunTreeFull(10_000),
    NotSupported("Not here.", feature="connections"),
    ServerFault("It broke.", request_id="r-1"),
    ComputationStopped("Too long.", reason="time", meaning="Only this.", todo="Give less."),
    SecretsUnavailable("Locked.", reason="locked", todo="Unlock."),
    ThirdPartyError(app="DeepL", said="No", status=403, details={"a": 1}, request="GET /u", retry_after=3.0),
]


def _every_class() -> set[type[AppError]]:
    return {
        item
        for item in vars(errors).values()
        if isinstance(item, type) and issubclass(item, AppError) and item is not AppError
    }


def test_every_kind_is_listed_here():
    assert {type(error) for error in EVERY_KIND} == _every_class()


@pytest.mark.parametrize("error", EVERY_KIND, ids=lambda error: type(error).__name__)
def test_an_error_comes_through_http_unchanged(error: AppError):
    again = from_wire(to_wire(error))

    assert type(again) is type(error)
    assert again.text() == error.text()
    assert again.extra() == error.extra()
    assert again.fields() == error.fields()


def test_a_body_of_another_service_is_left_to_the_caller():
    assert from_wire({"errors": {"name": ["is short"]}, "meta": {"type": "ModelValidation"}}) is None
