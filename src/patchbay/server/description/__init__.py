"""The description of the interface, made from the endpoints themselves and completed with what they share."""

import threading
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import iter_route_contexts
from pydantic_core import to_json

from patchbay.server.description import addresses, links, names, operations, schemas, words

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
        title=app.title, version=app.version, description=words.ABOUT, routes=app.routes, tags=words.TAGS,
        license_info={"name": "Apache-2.0"},
        servers=[{"url": "/", "description": "This service"}],
    )  # fmt: skip
    for route in iter_route_contexts(app.routes):
        described = spec["paths"].get(route.path_format)
        for method in (route.methods or ()) if described else ():
            if (operation := described.get(method.lower())) is not None:
                operations.complete_operation(operation, route, method)
    addresses.add_webhooks(spec, app.routes)
    operations.name(spec)
    links.add_links(spec)
    schemas.refine_schemas(spec)
    names.share_failures(spec)
    return names.with_readable_names(spec)
