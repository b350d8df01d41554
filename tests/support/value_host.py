"""The form around a field that takes values of earlier steps, in the least a field asks of it."""

from patchbay.desktop.editor.view_models.dynamic_options import LoadedChoices, LoadState
from patchbay.desktop.editor.view_models.variables import ValueCatalog


class ValueHost:
    """Offers the values of `catalog`; `apps` are known by their key."""

    def __init__(self, catalog: ValueCatalog, apps=None) -> None:
        self.catalog = catalog
        self.apps = apps or {}

    def app(self, key):
        return self.apps.get(key)

    def scopes(self, row=None, outer=None):
        return {}

    def choices(self, source, scopes):
        return LoadedChoices(LoadState.READY)

    def retry_choices(self, source, scopes):
        return None

    def label_of(self, key):
        return key
