"""Tries how an app connects with a service that refuses everything: both checks must notice.

Only for apps that speak HTTP through their context, which can be answered here; nothing leaves the program.
"""

import ast
import asyncio
from collections.abc import Iterator
from dataclasses import dataclass

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.errors import AppError
from patchbay.domain.fields import AuthField
from patchbay.integration.check_sources import ENTRY, Breach, Sources
from patchbay.integration.containment import NeverEnded, contained
from patchbay.integration.contract import App, Auth
from patchbay.integration.trial import Asked, Trial

_SECONDS = 10.0
_ADDRESS = "https://service.example.com"
_REFUSAL = (401, {"error": "These credentials are not accepted."})
_OTHER_WAYS = frozenset(("socket", "ssl", "smtplib", "imaplib", "poplib", "ftplib", "telnetlib"))
_VERIFY, _STILL = "auth/verify_credentials.py", "auth/is_still_verified.py"


@dataclass(frozen=True)
class _Outcome:
    """How a check ended: what it returned or raised, and what it asked."""

    returned: object
    error: BaseException | None
    asked: list[Asked]


def trial_breaches(sources: Sources, app: App) -> Iterator[Breach]:
    """What shows only when the app's checks are run."""
    auth = app.auth
    if auth is None or not speaks_http_only(sources):
        return
    verify = _tried(app, auth, "one", still=False)
    yield from _verify(sources, verify)
    if verify.asked and _keeps_back(app, auth, verify.asked):
        message = "The secret that was entered is not sent: before_request must add it to each request."
        yield Breach(ENTRY, sources.lines.get("before_request", sources.start), message)
    still = _tried(app, auth, "one", still=True)
    if still.error is None and still.returned and still.asked:
        yield _at(sources, _STILL, "is_still_verified", "It says yes although the service refuses with 401.")


def _verify(sources: Sources, outcome: _Outcome) -> Iterator[Breach]:
    error = outcome.error
    if error is None and outcome.asked:
        message = "It accepts credentials that the service refuses with 401: let the error of ctx.http pass."
        yield _at(sources, _VERIFY, "verify_credentials", message)
    elif isinstance(error, NeverEnded):
        yield _at(sources, _VERIFY, "verify_credentials", str(error))
    elif error is not None and not isinstance(error, AppError):
        file, line = sources.place_in_trace(error) or (_VERIFY, 1)
        yield Breach(file, line, f"verify_credentials stops with {type(error).__name__}: {error}")


def _tried(app: App, auth: Auth, secret: str, *, still: bool) -> _Outcome:
    trial = Trial(app, sample_values(app, auth, secret), {}, otherwise=_REFUSAL)
    returned, error = None, None
    try:
        returned = contained(
            lambda: asyncio.run(trial.still_verified() if still else trial.verify()), _SECONDS
        )
    except Exception as raised:  # noqa: BLE001 - whatever an author's code raises
        error = raised
    return _Outcome(returned, error, list(trial.requests))


def sample_values(app: App, auth: Auth, secret: str = "one") -> JsonObject:
    """Something for each field, as a person may enter it; `secret` makes the secrets differ."""
    values: JsonObject = {field.key: _sample(app, field, secret) for field in auth.fields}
    if auth.generate_auth_url is not None:
        values |= {key: _chosen(wanted) for key, wanted in auth.browser_if.items()}
        values |= {"accessToken": f"sample-token-{secret}", "tokenType": "Bearer"}
    return values


def _sample(app: App, field: AuthField, secret: str) -> Json:
    if field.value is not None:
        return field.value
    if field.options:
        return field.options[0].value
    if field.is_secret:
        return f"sample-secret-{secret}"
    is_address = app.api_base_url.startswith(f"{{auth.{field.key}}}") or field.key.lower().endswith("url")
    return _ADDRESS if is_address else f"sample-{field.key.lower()}"


def _chosen(wanted: Json) -> Json:
    return wanted[0] if isinstance(wanted, list) and wanted else wanted


def _keeps_back(app: App, auth: Auth, asked: list[Asked]) -> bool:
    """Whether another secret makes no difference in what is asked. Signatures make one too."""
    has_secret = auth.generate_auth_url is None and any(field.is_secret for field in auth.fields)
    return has_secret and asked == _tried(app, auth, "other", still=False).asked


def speaks_http_only(sources: Sources) -> bool:
    """Whether the app asks its service through `ctx.http` and in no other way."""
    uses_http = False
    for tree in (tree for file, tree in sources.files.items() if not file.startswith("tests/")):
        for node in ast.walk(tree):
            if isinstance(node, ast.Import) and any(
                alias.name.split(".")[0] in _OTHER_WAYS for alias in node.names
            ):
                return False
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in _OTHER_WAYS:
                return False
            uses_http = uses_http or (isinstance(node, ast.Attribute) and ast.unparse(node) == "ctx.http")
    return uses_http


def _at(sources: Sources, file: str, function: str, message: str) -> Breach:
    tree = sources.files.get(file)
    nodes = ast.walk(tree) if tree else ()
    line = next(
        (node.lineno for node in nodes if isinstance(node, ast.AsyncFunctionDef) and node.name == function), 1
    )
    return Breach(file, line, message)
