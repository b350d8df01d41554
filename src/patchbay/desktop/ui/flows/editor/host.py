"""What the field editors ask of the form they stand in."""

from patchbay.desktop.state.app_store import AppStore
from patchbay.desktop.state.editor_choices import Loaded
from patchbay.desktop.state.editor_form import FormModel
from patchbay.desktop.state.editor_values import ValueCatalog
from patchbay.desktop.ui.kit.fields.base import Row
from patchbay.domain.apps import AppInfo
from patchbay.domain.base import AppKey
from patchbay.domain.fields import LoaderScopes, Source


class FormHost:
    """A `FieldHost` over the form of the selected step."""

    def __init__(self, form: FormModel, apps: AppStore) -> None:
        self._form, self._apps = form, apps

    @property
    def catalog(self) -> ValueCatalog:
        return self._form.catalog

    def app(self, key: AppKey | None) -> AppInfo | None:
        return self._apps.get(key)

    def scopes(self, row: Row | None = None, outer: Row | None = None) -> LoaderScopes:
        return self._form.scopes(row, outer)

    def choices(self, source: Source, scopes: LoaderScopes) -> Loaded:
        return self._form.choices(source, scopes)

    def retry_choices(self, source: Source, scopes: LoaderScopes) -> None:
        self._form.retry_choices(source, scopes)

    def label_of(self, key: str) -> str:
        return self._form.label_of(key)
