"""Where the browser comes back to after a sign-in: one address, no API key, nothing secret in any page.

The answer is taken and the browser sent on at once, so that the code leaves the address bar.
"""

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from patchbay.domain.errors import AppError
from patchbay.domain.ports import SignInCallbacks

PATH = "/oauth/callback"
DONE_PATH = "/oauth/done"
LONGEST_ANSWER = 16 * 1024

_HEADERS = {
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
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
</style></head><body><main><h1>{title}</h1><p>{text}</p></main></body></html>
"""


def routes(callbacks: SignInCallbacks) -> list[Route]:
    """The address registered at third parties, and the page after it."""

    async def callback(request: Request) -> Response:
        if len(request.url.query) > LONGEST_ANSWER:
            return _unknown()
        try:
            ours = await callbacks.came_back(dict(request.query_params))
        except AppError as error:
            return _page("The sign-in could not go on", error.happened, "#c2410c", 503)
        return RedirectResponse(DONE_PATH, 303, _HEADERS) if ours else _unknown()

    async def done(request: Request) -> Response:
        return _page(
            "Back to Patchbay", "It has received the answer and goes on there. You can close this page.",
            "#15803d",
        )  # fmt: skip

    return [Route(PATH, callback, methods=["GET"]), Route(DONE_PATH, done, methods=["GET"])]


def _unknown() -> Response:
    return _page(
        "No sign-in is waiting for this page",
        "It may have been finished, cancelled or begun too long ago. Begin again in Patchbay.",
        "#c2410c",
        400,
    )


def _page(title: str, text: str, mark: str, status: int = 200) -> Response:
    return HTMLResponse(_PAGE.format(title=title, text=text, mark=mark), status, _HEADERS)
