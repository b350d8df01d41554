"""HEAD for the interface: the same head as GET, without the body. Source: wire facts."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

_EVENT_STREAM_SUFFIX = "/events"


class HeadRequests:
    """Answers HEAD like GET where the interface offers GET, and sends nothing of the body.

    Streams that never end are left out: their body would be made for nobody.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "HEAD" or not _supports_get(scope):
            await self._app(scope, receive, send)
            return

        async def send_head(message: Message) -> None:
            if message["type"] == "http.response.body":
                message = {**message, "body": b""}
            await send(message)

        await self._app({**scope, "method": "GET"}, receive, send_head)


def _supports_get(scope: Scope) -> bool:
    path: str = scope["path"]
    is_api_path = "/v1/" in path or path.split("/")[1:2] in (["users"], ["user-invitations"])
    methods = scope["app"].state.allowed_methods.for_path(path)
    return (
        is_api_path and not path.endswith(_EVENT_STREAM_SUFFIX) and "GET" in methods and "HEAD" not in methods
    )
