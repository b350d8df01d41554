"""The page behind an invitation link, on which people accept their invitation. Needs no API key.

Opening the link doesn't use it up, because mail programs open links in advance; only the button does. The
page removes the token from the address bar and the history, and works without JavaScript.
"""

import json
import math
from datetime import UTC, datetime
from html import escape
from urllib.parse import parse_qsl, urlsplit

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from patchbay.domain.access import Scope
from patchbay.domain.audit_log import Actor, ActorKind, current_actor
from patchbay.domain.backend import Backend
from patchbay.domain.clock import full_month_name
from patchbay.domain.errors import AppError, NotFound, RateLimited
from patchbay.domain.people import VIEWER, Invitation
from patchbay.domain.ports import InvitationAcceptance
from patchbay.server.authentication import WrongKeyThrottle
from patchbay.server.browser_pages import ERROR_MARK, SUCCESS_MARK, page, paragraph
from patchbay.server.errors import http_status

PATH = "/accept-invitation"
MAX_TOKEN_LENGTH = 256

_SCRIPT = """
history.replaceState(null, '', location.pathname);
for (const button of document.querySelectorAll('button[data-copy]')) {
  button.hidden = false;
  button.addEventListener('click', async () => {
    const box = document.getElementById(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(box.textContent);
      button.textContent = 'Copied';
    } catch { getSelection().selectAllChildren(box); }
  });
}
"""
_INVITATION_HTML = """<p>You're invited to Patchbay at <b>{place}</b>.</p>
<dl><dt>Email</dt><dd>{email}</dd><dt>Role</dt><dd>{role}<small>{may}</small></dd>
<dt>Valid until</dt><dd>{until}</dd></dl>
<form method="post" action="{action}"><input type="hidden" name="token" value="{token}">
<button type="submit">Accept invitation</button></form>
<small>You'll get your own API key, which is shown once. Use it to open this workspace in Patchbay on your
computer, or to call its HTTP API.</small>"""
_ROLE_SUMMARY = {
    Scope.READ: "You can view your own flows and executions.",
    Scope.OPERATE: "You can create and run your own flows, with your own connections.",
    Scope.ADMIN: "You can view and change everything, including people, API keys, and settings.",
}
_KEY_HTML = """<p>This is your API key. It's shown <b>only once</b>: store it like a password.</p>
<code class="box" id="key">{key}</code>
<button class="second" type="button" data-copy="key" hidden>Copy key</button>
<h2>In Patchbay on your computer</h2>
<ol><li>Choose <b>Add a service…</b> in the menu of workspaces.</li>
<li>Enter this address and the key:<code class="box" id="address">{address}</code>
<button class="second" type="button" data-copy="address" hidden>Copy address</button></li></ol>
<h2>In scripts and other programs</h2>
<p>Send the key in the header <code>x-api-token</code>. The API is documented at
<a href="{address}/docs">{address}/docs</a>.</p>"""


def routes(
    invitations: InvitationAcceptance,
    backend: Backend,
    base_path: str = "",
    interface_address: str | None = None,
) -> list[Route]:
    """The routes of the invitation page.

    `base_path` is the path prefix of the API; `interface_address` is the API's public address, if one is set.
    """

    async def show_invitation(request: Request) -> Response:
        token = request.query_params.get("token", "")
        try:
            return _invitation_page(await _find_invitation(invitations, token, request), token, request)
        except AppError as error:
            return _error_page(error)

    async def accept_invitation(request: Request) -> Response:
        token = await _read_token(request)
        outer = current_actor.set(Actor(kind=ActorKind.INVITATION, name="", address=_address(request)))
        try:
            await _find_invitation(invitations, token, request)
            # Before the key is made: nothing may keep it from them.
            address = interface_address or await _api_address(request, backend)
            address = address.rstrip("/") + base_path
            made = await invitations.join(token)
            body = _KEY_HTML.format(key=escape(made.value), address=escape(address))
            return page("You've joined", body, mark=SUCCESS_MARK, script=_SCRIPT)
        except AppError as error:
            return _error_page(error)
        finally:
            current_actor.reset(outer)

    return [Route(PATH, show_invitation, methods=["GET"]), Route(PATH, accept_invitation, methods=["POST"])]


def _invitation_page(found: Invitation, token: str, request: Request) -> Response:
    until = datetime.fromtimestamp((found.expires_at or 0) / 1000, UTC)
    role = found.role or VIEWER
    body = _INVITATION_HTML.format(
        place=escape(request.url.netloc),
        email=escape(found.email),
        role=escape(role.name),
        may=_ROLE_SUMMARY[role.scope],
        token=escape(token),
        action=PATH.strip("/"),
        until=f"{until.day} {full_month_name(until)} {until:%Y, %H:%M} UTC",
    )
    return page(f"Welcome, {found.full_name}", body, script=_SCRIPT, forms=True)


def _error_page(error: AppError) -> Response:
    """The error as a page. A rate limit is about invalid links here, not about API keys."""
    title, sentences = error.happened.rstrip("."), (error.meaning, error.todo)
    if isinstance(error, RateLimited):
        title, sentences = "Too many invalid links from your address", ("Try again later.", "")
    made = page(
        title, "".join(map(paragraph, sentences)), mark=ERROR_MARK, status=http_status(error), script=_SCRIPT
    )
    if isinstance(error, RateLimited) and error.retry_after is not None:
        made.headers["retry-after"] = str(math.ceil(error.retry_after))
    return made


async def _find_invitation(invitations: InvitationAcceptance, token: str, request: Request) -> Invitation:
    """The invitation of a token. Raises `NotFound`, and `RateLimited` after too many wrong ones."""
    throttle: WrongKeyThrottle = request.app.state.throttle
    if not token:
        raise NotFound(
            "This invitation link is incomplete",
            meaning="Its token is missing.",
            todo="Open the link from your invitation again.",
        )
    try:
        return await invitations.invitation(token[: MAX_TOKEN_LENGTH + 1])
    except NotFound:
        throttle.record_wrong_key(_address(request))
        raise


async def _read_token(request: Request) -> str:
    """The token of the form; the interface hands forms on as JSON."""
    text = (await request.body()).decode("utf-8", "replace")
    try:
        fields = json.loads(text)
    except ValueError:
        fields = dict(parse_qsl(text))
    token = fields.get("token") if isinstance(fields, dict) else None
    return token if isinstance(token, str) else ""


def _address(request: Request) -> str:
    return request.client.host if request.client else "?"


async def _api_address(request: Request, backend: Backend) -> str:
    """The address of the API as this client reaches it, without base path."""
    local_address, public = (
        f"{request.url.scheme}://{request.url.netloc}",
        (await backend.info()).webhook_address,
    )
    if public and urlsplit(public).netloc == request.url.netloc:
        return public  # behind a proxy only this one knows of https
    return local_address
