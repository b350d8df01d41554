"""Addresses of repositories."""

from collections.abc import Callable

from patchbay.domain.base import JsonObject
from patchbay.integration.values import text_of


def of_repository(path: str, method: str = "GET") -> Callable[[JsonObject], str]:
    """The line of a request below the chosen repository. One without an owner belongs to the account."""

    def line(parameters: JsonObject) -> str:
        has_owner = "/" in text_of(parameters, "repo")
        repository = "{repo:path}" if has_owner else "{auth.repoOwner}/{repo}"
        return f"{method} /repos/{repository}{path}"

    return line
