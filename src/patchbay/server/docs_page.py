"""The page at /docs on which the interface can be read and tried, and the description it reads.

Everything comes from this service: the page is ours, Swagger UI is a file of the package `fastapi-offline`.
No key is needed to look; the one that is typed in never leaves the page but with the requests that are tried.
"""

import asyncio
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

import patchbay
from patchbay.server.description import Description

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
