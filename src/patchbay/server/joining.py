"""Where people come in who follow the link of their invitation: one address, no API key.

Looking at the link uses nothing up, because mail programs look ahead; only the button on the page does. The
page takes the token out of the address bar and the history, and works without a script, too.
"""

import json
from datetime import UTC, datetime
from html import escape
from urllib.parse import parse_qsl, urlsplit

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from patchbay.domain.access import NewApiKey
from patchbay.domain.audit import Actor, ActorKind, acting
from patchbay.domain.backend import Backend
from patchbay.domain.errors import AppError, NotFound
from patchbay.domain.organise import Invitation
from patchbay.domain.ports import Joining
from patchbay.server.failures import status_of
from patchbay.server.pages import GOOD, ILL, page, paragraph

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
<dl><dt>E-mail</dt><dd>{email}</dd><dt>Role</dt><dd>{role}</dd><dt>Until</dt><dd>{until}</dd></dl>
<form method="post" action="{action}"><input type="hidden" name="token" value="{token}">
<button type="submit">Come in</button></form>
<small>You get a key of your own, which is shown once. With it you open this workspace in Patchbay on your
computer, or call its HTTP interface.</small>"""
_KEY = """<p>This is your API key. It is shown <b>this once</b>: keep it like a password.</p>
<code class="box" id="key">{key}</code>
<button class="second" type="button" data-copy="key" hidden>Copy the key</button>
<h2>In Patchbay on your computer</h2>
<ol><li>Choose <b>Add a service…</b> in the menu of workspaces.</li>
<li>Enter this address and the key:<code class="box" id="address">{address}</code>
<button class="second" type="button" data-copy="address" hidden>Copy the address</button></li></ol>
<h2>In programs of your own</h2>
<p>Send the key in the header <code>x-api-token</code>. Everything there is to ask stands at
<code class="text">{address}/v1</code>.</p>"""


def routes(joining: Joining, home: Backend, base_path: str = "") -> list[Route]:
    """The address that invitations lead to. `base_path` goes before the addresses of the interface."""

    async def look(request: Request) -> Response:
        token = request.query_params.get("token", "")
        try:
            return _invitation(await joining.invitation(_checked(token)), token, request)
        except AppError as error:
            return _refused(error)

    async def come_in(request: Request) -> Response:
        token = await _sent(request)
        outer = acting.set(_somebody(request))
        try:
            made = await joining.join(_checked(token))
            return _joined(made, await _interface(request, home, base_path))
        except AppError as error:
            return _refused(error)
        finally:
            acting.reset(outer)

    return [Route(PATH, look, methods=["GET"]), Route(PATH, come_in, methods=["POST"])]


def _invitation(found: Invitation, token: str, request: Request) -> Response:
    until = datetime.fromtimestamp((found.expires_at or 0) / 1000, UTC)
    role = f"{found.role.name}: {found.role.description}" if found.role else ""
    body = _INVITATION.format(
        place=escape(request.url.netloc), email=escape(found.email), role=escape(role), token=escape(token),
        until=f"{until:%d %B %Y, %H:%M} UTC", action=PATH.strip("/"),
    )  # fmt: skip
    return page(f"Welcome, {found.full_name}", body, script=_SCRIPT, forms=True)


def _joined(made: NewApiKey, address: str) -> Response:
    body = _KEY.format(key=escape(made.value), address=escape(address))
    return page("You are in", body, mark=GOOD, script=_SCRIPT)


def _refused(error: AppError) -> Response:
    body = paragraph(error.meaning) + paragraph(error.todo)
    return page(error.happened.rstrip("."), body, mark=ILL, status=status_of(error), script=_SCRIPT)


def _checked(token: str) -> str:
    """The token, when it can be one."""
    if not token:
        raise NotFound(
            "This page needs the whole link of an invitation", meaning="The address has no token.",
            todo="Open the link from your invitation once more.",
        )  # fmt: skip
    return token[: LONGEST_TOKEN + 1]


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
    address = request.client.host if request.client else None
    return Actor(kind=ActorKind.INVITATION, name="", address=address)


async def _interface(request: Request, home: Backend, base_path: str) -> str:
    """The address of the interface as whoever asks reaches it."""
    here = f"{request.url.scheme}://{request.url.netloc}"
    public = (await home.info()).webhook_address
    if public and urlsplit(public).netloc == request.url.netloc:
        here = public  # behind a proxy only this one knows of https
    return here.rstrip("/") + base_path
