"""The index of the built-in apps: what lists show of them, read without importing their definitions.

It is written by `python -m tests.support.app_index`; a test compares it with the definitions.
"""

from importlib.resources import files

from pydantic import TypeAdapter

from patchbay.domain.apps import AppInfo
from patchbay.domain.base import AppKey, Model
from patchbay.integration.app_definition import App, AuthKind
from patchbay.integration.app_descriptions import describe_listed

INDEX_FILE = "index.json"
"""In the package `patchbay.apps`, with a line for each app."""


class IndexedApp(Model):
    """A built-in app whose definition is only imported when it is used."""

    info: AppInfo
    """Its addresses still contain placeholders."""
    auth_kind: AuthKind = AuthKind.NONE
    uses_http: bool = False

    @property
    def key(self) -> AppKey:
        """The app's key."""
        return self.info.key


def index_app(app: App) -> IndexedApp:
    """The index entry of an app that has all its actions."""
    return IndexedApp(info=describe_listed(app), auth_kind=app.auth_kind, uses_http=app.uses_http)


def read_index() -> dict[AppKey, IndexedApp]:
    """The indexed apps by key."""
    content = files("patchbay.apps").joinpath(INDEX_FILE).read_bytes()
    return {entry.key: entry for entry in TypeAdapter(tuple[IndexedApp, ...]).validate_json(content)}
