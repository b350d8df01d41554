"""Where people come in who follow the link of their invitation: one address, no API key.

Looking at the link uses nothing up, because mail programs look ahead; only the button on the page does. The
page takes the token out of the address bar and the history, and works without a script, too.
"""

import json
import math
from datetime import UTC, datetime
from html import escape
from urllib.parse import parse_qsl, urlsplit

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from patchbay.domain.access import NewApiKey, Scope
from patchbay.domain.audit import Actor, ActorKind, acting
from patchbay.domain.backend import Backend
from patchbay.domain.calendar_words import whole_month_name
from patchbay.domain.errors import AppError, NotFound, RateLimited
from patchbay.domain.organise import VIEWER, Invitation
from patchbay.domain.ports import Joining
from patchbay.server.failures import status_of
from patchbay.server.pages import GOOD, ILL, page, paragraph
from patchbay.server.throttle import Throttle

PATH = "/accept-invitation"
LONGEST_TOKEN = 256

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
_INVITATION = """<p>You are invited to work with Patchbay at <b>{place}</b>.</p>
<dl><dt>E-mail</dt><dd>{email}</dd><dt>Role</dt><dd>{role}<small>{may}</small></dd>
<dt>Valid until</dt><dd>{until}</dd></dl>
<form method="post" action="{action}"><input type="hidden" name="token" value="{token}">
<button type="submit">Accept invitation</button></form>
<small>You'll get your own API key, which is shown once. Use it to open this workspace in Patchbay on your
computer, or to call its HTTP interface.</small>"""
_MAY = {
    Scope.READ: "You can view your own flows and executions.",
    Scope.OPERATE: "You can create and run your own flows, with your own connections.",
    Scope.ADMIN: "You can view and change everything, including people, API keys, and settings.",
}
_KEY = """<p>This is your API key. It is shown <b>this once</b>: keep it like a password.</p>
<code class="box" id="key">{key}</code>
<button class="second" type="button" data-copy="key" hidden>Copy the key</button>
<h2>In Patchbay on your computer</h2>
<ol><li>Choose <b>Add a service…</b> in the menu of workspaces.</li>
<li>Enter this address and the key:<code class="box" id="address">{address}</code>
<button class="second" type="button" data-copy="address" hidden>Copy the address</button></li></ol>
<h2>In your own programs</h2>
<p>Send the key in the header <code>x-api-token</code>. The interface is described at
<a href="{address}/docs">{address}/docs</a>.</p>"""


def routes(
    joining: Joining, home: Backend, base_path: str = "", interface_address: str | None = None
) -> list[Route]:
    """The address that invitations lead to.

    `base_path` goes before the addresses of the interface; `interface_address` is how others reach it, where
    that was set.
    """

    async def look(request: Request) -> Response:
        token = request.query_params.get("token", "")
        try:
            return _invitation(await _known(joining, token, request), token, request)
        except AppError as error:
            return _refused(error)

    async def come_in(request: Request) -> Response:
        token = await _sent(request)
        outer = acting.set(_somebody(request))
        try:
            await _known(joining, token, request)
            # Before the key is made: nothing may keep it from them.
            address = interface_address or await _interface(request, home)
            address = address.rstrip("/") + base_path
            return _joined(await joining.join(token), address)
        except AppError as error:
            return _refused(error)
        finally:
            acting.reset(outer)

    return [Route(PATH, look, methods=["GET"]), Route(PATH, come_in, methods=["POST"])]


def _invitation(found: Invitation, token: str, request: Request) -> Response:
    until = datetime.fromtimestamp((found.expires_at or 0) / 1000, UTC)
    role = found.role or VIEWER
    body = _INVITATION.format(
        place=escape(request.url.netloc), email=escape(found.email), role=escape(role.name),
        may=_MAY[role.scope], token=escape(token), action=PATH.strip("/"),
        until=f"{until.day} {whole_month_name(until)} {until:%Y, %H:%M} UTC",
    )  # fmt: skip
    return page(f"Welcome, {found.full_name}", body, script=_SCRIPT, forms=True)


def _joined(made: NewApiKey, address: str) -> Response:
    body = _KEY.format(key=escape(made.value), address=escape(address))
    return page("You've joined", body, mark=GOOD, script=_SCRIPT)


def _refused(error: AppError) -> Response:
    """The error as a page; too many wrong links are told as such, not as wrong keys."""
    title, words = error.happened.rstrip("."), (error.meaning, error.todo)
    if isinstance(error, RateLimited):
        title, words = "Too many wrong links came from your address", ("Try again later.", "")
    made = page(title, "".join(map(paragraph, words)), mark=ILL, status=status_of(error), script=_SCRIPT)
    if isinstance(error, RateLimited) and error.retry_after is not None:
        made.headers["retry-after"] = str(math.ceil(error.retry_after))
    return made


async def _known(joining: Joining, token: str, request: Request) -> Invitation:
    """The invitation of a token. Raises `NotFound`, and `RateLimited` for whoever guesses."""
    throttle: Throttle = request.app.state.throttle
    if not token:
        raise NotFound(
            "This page needs the whole link of an invitation", meaning="The address has no token.",
            todo="Open the link from your invitation once more.",
        )  # fmt: skip
    try:
        return await joining.invitation(token[: LONGEST_TOKEN + 1])
    except NotFound:
        throttle.refused(_address(request))
        raise


async def _sent(request: Request) -> str:
    """The token of the form; the interface hands forms on as JSON."""
    text = (await request.body()).decode("utf-8", "replace")
    try:
        fields = json.loads(text)
    except ValueError:
        fields = dict(parse_qsl(text))
    token = fields.get("token") if isinstance(fields, dict) else None
    return token if isinstance(token, str) else ""


def _somebody(request: Request) -> Actor:
    return Actor(kind=ActorKind.INVITATION, name="", address=_address(request))


def _address(request: Request) -> str:
    return request.client.host if request.client else "?"


async def _interface(request: Request, home: Backend) -> str:
    """The address of the interface as whoever asks reaches it, without base path."""
    here, public = f"{request.url.scheme}://{request.url.netloc}", (await home.info()).webhook_address
    if public and urlsplit(public).netloc == request.url.netloc:
        return public  # behind a proxy only this one knows of https
    return here
