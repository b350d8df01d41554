"""Where the browser comes back to after a sign-in: one address, no API key, nothing secret in any page.

The page takes the code out of the address bar and the history. It is one answer, with no redirect to another:
whoever asked may stop listening as soon as it has what it waited for.
"""

import base64
import hashlib
from html import escape

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from patchbay.domain.errors import AppError
from patchbay.domain.ports import SignInCallbacks

PATH = "/oauth/callback"
DONE_PATH = "/oauth/done"
LONGEST_ANSWER = 16 * 1024

_GOOD, _ILL = "#15803d", "#c2410c"
_SCRIPT = f"history.replaceState(null, '', '{DONE_PATH}')"
_SCRIPT_HASH = base64.b64encode(hashlib.sha256(_SCRIPT.encode()).digest()).decode()
_HEADERS = {
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "content-security-policy": (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{_SCRIPT_HASH}'; "
        "frame-ancestors 'none'"
    ),
}
_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Patchbay</title><style>
:root {{ color-scheme: light dark; --ground: #f5f6f8; --card: #ffffff; --line: #dfe2e8; --text: #1a1d23;
  --quiet: #5b6270; --mark: {mark}; }}
@media (prefers-color-scheme: dark) {{ :root {{ --ground: #14161a; --card: #1c1f25; --line: #2e333c;
  --text: #eceef2; --quiet: #a2a9b6; }} }}
body {{ margin: 0; min-height: 100vh; display: grid; place-items: center; background: var(--ground);
  color: var(--text); font: 16px/1.5 Inter, system-ui, sans-serif; }}
main {{ max-width: 26rem; margin: 2rem; padding: 2rem 2.25rem; background: var(--card);
  border: 1px solid var(--line); border-top: 3px solid var(--mark); border-radius: 10px; }}
h1 {{ margin: 0 0 .5rem; font-size: 1.25rem; line-height: 1.3; }}
p {{ margin: 0; color: var(--quiet); }}
</style></head><body><main><h1>{title}</h1><p>{text}</p></main><script>{script}</script></body></html>
"""


def routes(callbacks: SignInCallbacks) -> list[Route]:
    """The address registered at third parties, and what its page is called once the code is out of it."""

    async def callback(request: Request) -> Response:
        if request.method != "GET":  # a look ahead must not use the answer up
            return Response(status_code=405, headers={"allow": "GET"})
        if len(request.url.query) > LONGEST_ANSWER:
            return _unknown()
        try:
            ours = await callbacks.came_back(dict(request.query_params))
        except AppError as error:
            return _page("The sign-in could not go on", error.happened, _ILL, 503)
        return _received() if ours else _unknown()

    async def done(request: Request) -> Response:
        return _received()

    return [Route(PATH, callback, methods=["GET"]), Route(DONE_PATH, done, methods=["GET"])]


def _received() -> Response:
    text = "It has received the answer and goes on there. You can close this page."
    return _page("Back to Patchbay", text, _GOOD)


def _unknown() -> Response:
    text = "It may have been finished, cancelled or begun too long ago. Begin again in Patchbay."
    return _page("No sign-in is waiting for this page", text, _ILL, 400)


def _page(title: str, text: str, mark: str, status: int = 200) -> Response:
    page = _PAGE.format(title=escape(title), text=escape(text), mark=mark, script=_SCRIPT)
    return HTMLResponse(page, status, _HEADERS)
