"""Where the browser comes back to after a sign-in: one address, no API key, nothing secret in any page.

The page takes the code out of the address bar and the history. It is one answer, with no redirect to another:
whoever asked may stop listening as soon as it has what it waited for.
"""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from patchbay.domain.errors import AppError
from patchbay.domain.ports import SignInCallbacks
from patchbay.server.browser_pages import ERROR_MARK, SUCCESS_MARK, page, paragraph

PATH = "/oauth/callback"
DONE_PATH = "/oauth/done"
MAX_QUERY_LENGTH = 16 * 1024

_SCRIPT = f"history.replaceState(null, '', '{DONE_PATH}')"


def routes(callbacks: SignInCallbacks) -> list[Route]:
    """The address registered at third parties, and what its page is called once the code is out of it."""

    async def callback(request: Request) -> Response:
        if request.method != "GET":  # a look ahead must not use the answer up
            return Response(status_code=405, headers={"allow": "GET"})
        if len(request.url.query) > MAX_QUERY_LENGTH:
            return _unknown_page()
        try:
            is_known = await callbacks.came_back(dict(request.query_params))
        except AppError as error:
            return _page("The sign-in could not go on", error.happened, ERROR_MARK, 503)
        return _done_page() if is_known else _unknown_page()

    async def done(request: Request) -> Response:
        return _done_page()

    return [Route(PATH, callback, methods=["GET"]), Route(DONE_PATH, done, methods=["GET"])]


def _done_page() -> Response:
    text = "It has received the answer and goes on there. You can close this page."
    return _page("Back to Patchbay", text)


def _unknown_page() -> Response:
    text = "It may have been finished, cancelled or begun too long ago. Begin again in Patchbay."
    return _page("No sign-in is waiting for this page", text, ERROR_MARK, 400)


def _page(title: str, text: str, mark: str = SUCCESS_MARK, status: int = 200) -> Response:
    return page(title, paragraph(text), mark=mark, status=status, script=_SCRIPT)
