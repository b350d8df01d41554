"""Which methods an address offers, over all routes that serve it."""

import re
from collections.abc import Sequence
from functools import cached_property

from fastapi.routing import iter_route_contexts
from starlette.routing import BaseRoute, compile_path


class AllowedMethods:
    """The methods of every address of an app. Looked at when a request was wrong: right ones pay nothing."""

    def __init__(self, routes: Sequence[BaseRoute]) -> None:
        self._routes = routes

    def for_path(self, path: str) -> frozenset[str]:
        """The methods; empty for an address that is not there.

        An address written out ("/flows/import") is not one of those with a placeholder in its place.
        """
        if path in self._static_paths:
            return self._static_paths[path]
        return frozenset().union(
            *(methods for pattern, methods in self._path_patterns if pattern.match(path))
        )

    @cached_property
    def _methods_by_path(self) -> list[tuple[str, frozenset[str]]]:
        routes = iter_route_contexts(self._routes)
        return [
            (str(route.path), frozenset(route.methods)) for route in routes if route.path and route.methods
        ]

    @cached_property
    def _static_paths(self) -> dict[str, frozenset[str]]:
        found: dict[str, frozenset[str]] = {}
        for path, methods in self._methods_by_path:
            if "{" not in path:
                found[path] = found.get(path, frozenset()) | methods
        return found

    @cached_property
    def _path_patterns(self) -> list[tuple[re.Pattern[str], frozenset[str]]]:
        return [(compile_path(path)[0], methods) for path, methods in self._methods_by_path if "{" in path]
