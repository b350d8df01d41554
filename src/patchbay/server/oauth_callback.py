"""The redirect address of OAuth sign-ins. Needs no API key and shows no secret.

The page removes the code from the address bar and the history. It's a single response without a redirect,
because a temporary listener may stop once it has the code.
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

_RELAY = "if (location.hash.length > 1) location.replace(location.search + '&' + location.hash.slice(1))"
_SCRIPT = f"history.replaceState(null, '', '{DONE_PATH}')"


def routes(callbacks: SignInCallbacks) -> list[Route]:
    """The routes of the redirect address and of the page shown once the code is removed from it."""

    async def callback(request: Request) -> Response:
        if request.method != "GET":  # a prefetch must not use up the code
            return Response(status_code=405, headers={"allow": "GET"})
        if len(request.url.query) > MAX_QUERY_LENGTH:
            return _unknown_page()
        if _has_only_a_state(request):
            return _relay_page()
        try:
            is_known = await callbacks.handle_redirect(dict(request.query_params))
        except AppError as error:
            return _page("The sign-in failed", error.happened, ERROR_MARK, 503)
        return _done_page() if is_known else _unknown_page()

    async def done(request: Request) -> Response:
        return _done_page()

    return [Route(PATH, callback, methods=["GET"]), Route(DONE_PATH, done, methods=["GET"])]


def _has_only_a_state(request: Request) -> bool:
    items = request.query_params.multi_items()
    return len(items) == 1 and items[0][0] == "state" and bool(items[0][1])


def _relay_page() -> Response:
    """The page for services that return a token after the #, which browsers don't send.

    It opens its address again with what follows the # as a part of the query.
    """
    text = "The service returned nothing. Start again in Patchbay."
    return page("The sign-in failed", paragraph(text), mark=ERROR_MARK, status=400, script=_RELAY)


def _done_page() -> Response:
    text = "Patchbay received the response and is finishing the sign-in. You can close this page."
    return _page("Back to Patchbay", text)


def _unknown_page() -> Response:
    text = "It may have been finished or cancelled, or it has expired. Start again in Patchbay."
    return _page("No sign-in in progress", text, ERROR_MARK, 400)


def _page(title: str, text: str, mark: str = SUCCESS_MARK, status: int = 200) -> Response:
    return page(title, paragraph(text), mark=mark, status=status, script=_SCRIPT)
