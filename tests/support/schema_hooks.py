"""Settings and checks for Schemathesis beyond its own. Loaded by its process, named in SCHEMATHESIS_HOOKS."""

import schemathesis
from schemathesis.specs.openapi import checks

# Whoever shows many wrong keys is told to wait: their keys are refused all the same.
vars(checks)["AUTH_REJECTION_STATUSES"] |= {429}


@schemathesis.check
def errors_say_what_and_what_to_do(ctx, response, case):
    """No error without a JSON body that says what happened, whatever was asked."""
    if response.status_code < 400:
        return
    kind = response.headers.get("content-type", [""])[0]
    assert kind == "application/json", f"{response.status_code} came as {kind!r}"
    body = response.json()
    assert set(body) == {"errors", "meta"}, f"an error holds {sorted(body)}"
    assert body["errors"], "an error without a message"
    assert body["meta"]["type"], "an error without a kind"
    assert body["meta"]["happened"], "an error without words"


@schemathesis.check
def answers_are_not_guessed_at(ctx, response, case):
    """Browsers take every answer for what it says it is."""
    assert response.headers.get("x-content-type-options") == ["nosniff"]
