"""The OpenAPI document of the API, and the page at /docs that shows it."""

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
Manage a workspace over HTTP: flows and their steps, executions, connections, templates, folders, people, and
the server itself.

**Authentication.** Every operation with a lock needs an API key in the header `x-api-token`. A key has a
scope: `read` is read-only, `operate` can also edit and run flows and manage connections, `admin` has full
access, including people, API keys, and settings. Each operation lists the scope it needs. The key of a user
who isn't an admin only reaches that user's resources; those of other users return 404.

**Responses.** A successful response has `data` and `meta`; `meta.type` is the type of `data`, or `Object` for
an empty list. Paginated lists have `currentPage`, `totalPages`, `count` (all matches), and `nextCursor`: pass
it as `cursor` to get the next page.

**Errors.** Every error has a JSON body: `errors` maps fields to messages (`general` for all others), and
`meta` has the kind of error (`type`) and sentences: what `happened`, its `meaning`, and what to do (`todo`).
A method that a path doesn't support returns 405 with the header `Allow`; an unknown path returns 404.

**Leniency.** Invalid page numbers, limits, times, and states in a query are ignored, for compatibility with
Automatisch. A malformed ID returns 400. Unknown fields in a body are ignored. Bodies are JSON or forms, up to
1 MB. Times are milliseconds since 1970 (UTC).
"""

TAGS = [
    {"name": "flows", "description": "Create, edit, publish, and run flows."},
    {"name": "steps", "description": "Edit and test the steps of a draft. Responses contain the whole flow."},
    {"name": "executions", "description": "Runs of flows, their data, retry, and replay."},
    {"name": "tools", "description": "Call published flows by name, as MCP clients do at `/mcp`."},
    {"name": "connections", "description": "Accounts at apps. Credentials are never returned."},
    {"name": "apps", "description": "The apps, triggers, and actions available."},
    {"name": "templates", "description": "Flows to start from."},
    {"name": "folders", "description": "Groups of flows."},
    {"name": "users", "description": "People, their roles, and invitations. Also available without `/v1`."},
    {"name": "api keys", "description": "Keys for this API."},
    {"name": "audit log", "description": "Who changed what, and when."},
    {"name": "engine", "description": "Engine status and settings, and the disk usage of the history."},
    {"name": "secrets", "description": "Where secrets are stored. Secrets are never returned."},
    {"name": "workspace", "description": "The server itself."},
    {
        "name": "webhooks",
        "description": "URLs that start flows. They need no API key: anyone with the URL can call it.",
    },
]

Spec = dict[str, Any]


class Description:
    """The OpenAPI document of an app, built when it's first requested."""

    def __init__(self, app: FastAPI) -> None:
        self._app = app
        self._lock = threading.Lock()
        self._text: bytes | None = None

    def text(self) -> bytes:
        """The document as JSON. Takes half a second the first time, so don't call it on the event loop."""
        with self._lock:
            if self._text is None:
                self._text = to_json(describe(self._app))
            return self._text


def describe(app: FastAPI) -> Spec:
    """Build the OpenAPI document: every operation with all its responses."""
    spec = get_openapi(
        title=app.title,
        version=app.version,
        description=ABOUT,
        routes=app.routes,
        tags=TAGS,
        license_info={"name": "Apache-2.0"},
        servers=[{"url": "/", "description": "This server"}],
    )
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
    """The routes of /docs, its files, and the document; also below the base path, for proxies."""

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
            await asyncio.to_thread(_content, name),
            headers=headers,
            media_type=_TYPES[Path(name).suffix] + "; charset=utf-8",
        )

    found: list[BaseRoute] = []
    for before in dict.fromkeys(("", base_path)):
        found += [Route(before + OPENAPI_PATH, openapi_json), Route(before + PATH, page)]
        found += [Route(f"{before}{PATH}/{name}", file) for name in (*_OWN_FILES, *_SWAGGER_UI)]
    return found


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
    """The folder of Swagger UI, found without importing the package and its dependencies."""
    found = find_spec("fastapi_offline")
    assert found is not None, "fastapi-offline is a dependency"
    assert found.origin is not None
    return Path(found.origin).parent / "static"
