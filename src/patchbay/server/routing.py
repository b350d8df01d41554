"""Routers that requests to other resources pass at once."""

from fastapi import APIRouter
from starlette.routing import Match
from starlette.types import Scope


class ResourceRouter(APIRouter):
    """The endpoints of one resource, below `prefix`.

    FastAPI compares a request with every endpoint of every router, once for each level of routers. This one
    is left out unless the path contains the beginning of its prefix.
    """

    def __init__(self, prefix: str, tags: list[str]) -> None:
        super().__init__(prefix=prefix, tags=[*tags])
        self._needed = prefix.partition("{")[0]

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        if self._needed not in scope["path"]:
            return Match.NONE, {}
        return super().matches(scope)
