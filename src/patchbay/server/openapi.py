"""What the description says about the interface as a whole."""

import asyncio
import threading
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import iter_route_contexts
from pydantic_core import to_json
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

import patchbay
from patchbay.server import (
    openapi_operations,
    openapi_schemas,
)

ABOUT = """\
Everything a workspace can do, over HTTP: flows and their steps, executions, connections, templates, folders,
people, and the service itself.

**Key.** Every operation with a lock wants an API key in the header `x-api-token`. A key has a scope: `read`
sees, `operate` also works with flows, connections and executions, `admin` also manages people, keys and
settings. Each operation says which one it needs. A key of a person who is no admin sees only what is theirs;
what belongs to others answers 404 as if it was not there.

**Answers.** A success is `data` beside `meta`; `meta.type` names what `data` holds and is `Object` for an
empty list. Lists in pages say `currentPage`, `totalPages`, `count` (all matches) and `nextCursor`: hand it in
as `cursor` to get the next page, however long the list is.

**Errors.** Every error has a JSON body: `errors` maps fields to messages (`general` for the rest), and
`meta` says the kind (`type`) and in words what `happened`, its `meaning` and what `todo`. A method that an
address does not offer is answered with 405 and the header `Allow`; an unknown address with 404.

**Leniency.** Page numbers, limits, times and states in a query that make no sense are ignored, as by other
services with this interface. A malformed id is refused with 400. Unknown fields in a body are ignored. Bodies
are JSON or forms, up to 1 MB. Times are milliseconds since 1970 (UTC).
"""

TAGS = [
    {"name": "flows", "description": "Automations, as drafts and published."},
    {"name": "steps", "description": "What a draft does; answers hold the whole flow."},
    {"name": "executions", "description": "Runs of flows: what they did, and running them again."},
    {"name": "connections", "description": "Accounts at apps. Credentials go in and never come out."},
    {"name": "apps", "description": "What flows can be built of."},
    {"name": "templates", "description": "Flows to start from."},
    {"name": "folders", "description": "Where flows are kept."},
    {"name": "users", "description": "People, their roles and invitations. Also offered without `/v1`."},
    {"name": "api keys", "description": "Who may ask this interface."},
    {"name": "audit log", "description": "Who changed what, and when."},
    {"name": "engine", "description": "What runs the flows."},
    {"name": "secrets", "description": "Where secrets are kept; they never pass here."},
    {"name": "workspace", "description": "The service itself."},
    {
        "name": "webhooks",
        "description": "Addresses that start flows. They need no key: who knows one may call.",
    },
]

# MERGED: The description of the interface, made from the endpoints themselves and completed with what
# they share.

Spec = dict[str, Any]


class Description:
    """The OpenAPI document of an app, made when first asked for."""

    def __init__(self, app: FastAPI) -> None:
        self._app = app
        self._lock = threading.Lock()
        self._text: bytes | None = None

    def text(self) -> bytes:
        """The document as JSON. Takes half a second the first time: not to be called on the event loop."""
        with self._lock:
            if self._text is None:
                self._text = to_json(describe(self._app))
            return self._text


def describe(app: FastAPI) -> Spec:
    """Every operation with every answer it can give, ready to be shown or checked."""
    spec = get_openapi(
        title=app.title, version=app.version, description=ABOUT, routes=app.routes, tags=TAGS,
        license_info={"name": "Apache-2.0"},
        servers=[{"url": "/", "description": "This service"}],
    )  # fmt: skip
    for route in iter_route_contexts(app.routes):
        described = spec["paths"].get(route.path_format)
        for method in (route.methods or ()) if described else ():
            if (operation := described.get(method.lower())) is not None:
                openapi_operations.complete_operation(operation, route, method)
    openapi_operations.add_webhooks(spec, app.routes)
    openapi_operations.name(spec)
    openapi_operations.add_links(spec)
    openapi_schemas.refine_schemas(spec)
    openapi_schemas.share_failures(spec)
    return openapi_schemas.with_readable_names(spec)


# MERGED: The page at /docs on which the interface can be read and tried, and the description it
# reads.

PATH = "/docs"
OPENAPI_PATH = "/openapi.json"

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_TYPES = {".js": "text/javascript", ".css": "text/css"}
_OWN_FILES = ("page.js", "page.css")
_SWAGGER_UI = ("swagger-ui-bundle.js", "swagger-ui.css")


def routes(description: Description, base_path: str = "") -> list[BaseRoute]:
    """The page, its files and the description; below the base path too, for proxies that pass only that."""

    async def openapi_json(request: Request) -> Response:
        return Response(await asyncio.to_thread(description.text), media_type="application/json")

    async def page(request: Request) -> Response:
        headers = {"content-security-policy": _POLICY, "x-content-type-options": "nosniff"}
        text = await asyncio.to_thread((_docs_folder() / "index.html").read_bytes)
        return Response(text, headers=headers, media_type="text/html; charset=utf-8")

    async def file(request: Request) -> Response:
        name = request.url.path.rpartition("/")[2]
        headers = {"cache-control": "public, max-age=3600", "x-content-type-options": "nosniff"}
        return Response(
            await asyncio.to_thread(_content, name), headers=headers, media_type=_media_type(name)
        )

    found: list[BaseRoute] = []
    for before in dict.fromkeys(("", base_path)):
        found += [Route(before + OPENAPI_PATH, openapi_json), Route(before + PATH, page)]
        found += [Route(f"{before}{PATH}/{name}", file) for name in (*_OWN_FILES, *_SWAGGER_UI)]
    return found


def _media_type(name: str) -> str:
    return _TYPES[Path(name).suffix] + "; charset=utf-8"


@cache
def _content(name: str) -> bytes:
    folder = _docs_folder() if name in _OWN_FILES else _swagger_ui_folder()
    return (folder / name).read_bytes()


@cache
def _docs_folder() -> Path:
    """`patchbay/resources` in an installed wheel, the top-level `resources` in a checkout."""
    package = Path(patchbay.__file__).parent
    candidates = (package / "resources" / "docs", package.parent.parent / "resources" / "docs")
    return next(folder for folder in candidates if folder.is_dir())


@cache
def _swagger_ui_folder() -> Path:
    """Found without importing the package, which would bring more along than its files."""
    found = find_spec("fastapi_offline")
    assert found is not None, "fastapi-offline is a dependency"
    assert found.origin is not None
    return Path(found.origin).parent / "static"
