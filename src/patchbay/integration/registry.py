"""All apps the program knows, and how they look from outside."""

from collections.abc import Iterable
from pathlib import Path
from threading import Lock
from typing import TypeVar

from patchbay.domain.apps import ActionInfo, AppInfo, AuthInfo, TriggerInfo
from patchbay.domain.base import AppKey
from patchbay.domain.errors import NotFound
from patchbay.integration.api_request import with_api_request
from patchbay.integration.app_threads import in_threads
from patchbay.integration.certificate_trust import with_trust_fields
from patchbay.integration.contract import Action, App, Auth, DynamicData, DynamicFields, Trigger
from patchbay.integration.destinations import auth_fields
from patchbay.integration.loader import BrokenApp, Found, built_in_apps, installed_apps, user_apps

__all__ = ["AppRegistry", "BrokenApp", "built_in_apps", "load_apps"]

_Stamp = tuple[tuple[str, int, int], ...]
_FILES_OF_APPS = (".py", ".svg", ".md")
Part = TypeVar("Part", Trigger, Action, DynamicData, DynamicFields)


class AppRegistry:
    """Apps by key. `base_url` and `docs_url` fill the placeholders of icon and documentation addresses.

    The first app of a key wins; a later one is listed as broken under `<key> (2)`, so that a folder put
    there by somebody cannot quietly replace a built-in app and read its credentials.
    """

    def __init__(self, found: Iterable[Found] = (), *, base_url: str = "", docs_url: str = "") -> None:
        self.base_url = base_url
        self.docs_url = docs_url
        self._apps: dict[AppKey, App] = {}
        self._broken: dict[AppKey, BrokenApp] = {}
        self._folder: Path | None = None
        self._fixed: tuple[Found, ...] = ()
        self._loaded: _Stamp = ()
        self._loading = Lock()
        self._replace(found)

    def watch(self, folder: Path, fixed: Iterable[Found]) -> None:
        """Load the apps in a folder beside the `fixed` ones, and from now on again when its files change."""
        self._folder, self._fixed = folder, tuple(fixed)
        self._load(folder)

    def reload_changed(self) -> bool:
        """Load the apps of the folder again if its files have changed; whether they were. Reads files.

        Calls that use an app at this moment go on with its old code.
        """
        with self._loading:
            if self._folder is None or _stamp(self._folder) == self._loaded:
                return False
            self._load(self._folder)
            return True

    def _load(self, folder: Path) -> None:
        self._loaded = _stamp(folder)
        self._replace([*self._fixed, *map(_in_threads, map(_describable, user_apps(folder)))])

    def _replace(self, found: Iterable[Found]) -> None:
        """Put these in the place of all apps, in one step: others read at the same time."""
        apps: dict[AppKey, App] = {}
        broken: dict[AppKey, BrokenApp] = {}
        for one in found:
            if isinstance(one, App) and one.key not in apps:
                apps[one.key] = with_trust_fields(with_api_request(one))
                continue
            reason = one.reason if isinstance(one, BrokenApp) else "There is another app with this key."
            key = f"{one.key} (2)" if one.key in apps or one.key in broken else one.key
            broken[key] = BrokenApp(key, reason)
        self._apps, self._broken = apps, broken

    def get(self, key: AppKey) -> App:
        """The app; raises `NotFound`, which tells when it is there but broken."""
        if app := self._apps.get(key):
            return app
        if broken := self._broken.get(key):
            raise NotFound(f"The app {key} cannot be used.", meaning=broken.reason)
        raise NotFound(f"There is no app {key}.", todo="Choose another app, or install this one.")

    def all(self) -> tuple[App, ...]:
        """Every usable app, by name."""
        return tuple(sorted(self._apps.values(), key=lambda app: app.name.casefold()))

    def broken(self) -> tuple[BrokenApp, ...]:
        return tuple(self._broken.values())

    def trigger(self, app_key: AppKey, key: str) -> Trigger:
        app = self.get(app_key)
        return _one(app, "trigger", key, app.triggers)

    def action(self, app_key: AppKey, key: str) -> Action:
        app = self.get(app_key)
        return _one(app, "action", key, app.actions)

    def dynamic_data(self, app_key: AppKey, key: str) -> DynamicData:
        app = self.get(app_key)
        return _one(app, "list", key, app.dynamic_data)

    def dynamic_fields(self, app_key: AppKey, key: str) -> DynamicFields:
        app = self.get(app_key)
        return _one(app, "set of fields", key, app.dynamic_fields)

    def info(self, key: AppKey, detail: bool = True) -> AppInfo:
        """The app as the window and the interface see it; a broken one with its reason."""
        if key in self._broken and key not in self._apps:
            return AppInfo(key=key, name=key, broken=self._broken[key].reason)
        return self._describe(self.get(key), detail)

    def infos(self) -> tuple[AppInfo, ...]:
        """All apps by name, broken ones included, without auth, triggers and actions."""
        infos = (self.info(key, detail=False) for key in (*self._apps, *self._broken))
        return tuple(sorted(infos, key=lambda info: info.name.casefold()))

    def _describe(self, app: App, detail: bool) -> AppInfo:
        info = AppInfo(
            key=app.key,
            name=app.name,
            icon_url=self._address(app, app.icon_url),
            auth_doc_url=self._address(app, app.auth_doc_url),
            supports_connections=app.supports_connections,
            supports_oauth_clients=app.auth is not None and app.auth.generate_auth_url is not None,
            base_url=app.base_url,
            api_base_url=app.api_base_url,
            primary_color=app.primary_color,
            description=app.description,
            category=app.category,
            icon_svg=app.icon_svg,
            docs_markdown=app.docs_markdown if detail else "",
            rate_limit=app.rate_limit,
        )
        if not detail:
            return info
        parts = {
            "auth": _auth_info(app, app.auth) if app.auth else None,
            "triggers": tuple(map(_trigger_info, app.triggers)),
            "actions": tuple(map(_action_info, app.actions)),
        }
        return info.model_copy(update=parts)

    def _address(self, app: App, template: str) -> str:
        filled = template.replace("{BASE_URL}", self.base_url).replace("{DOCS_URL}", self.docs_url)
        return filled.replace("{key}", app.key)


def load_apps(user_folder: Path | None = None, *, base_url: str = "", docs_url: str = "") -> AppRegistry:
    """Built-in apps, installed ones, then those in `user_folder` (each in a folder named by its key)."""
    fixed = [*built_in_apps(), *map(_in_threads, map(_describable, installed_apps()))]
    if user_folder is None:
        return AppRegistry(fixed, base_url=base_url, docs_url=docs_url)
    registry = AppRegistry(base_url=base_url, docs_url=docs_url)
    registry.watch(user_folder, fixed)
    return registry


def _stamp(folder: Path) -> "_Stamp":
    """What changes when a file that belongs to an app changes. What can't be read counts as not there."""
    found = []
    for path in sorted(folder.rglob("*")) if folder.is_dir() else ():
        if path.suffix in _FILES_OF_APPS and "__pycache__" not in path.parts:
            try:
                known = path.stat()
            except OSError:
                continue
            found.append((str(path), known.st_mtime_ns, known.st_size))
    return tuple(found)


def _in_threads(found: Found) -> Found:
    """The app with its code run in threads; nobody here has read that code."""
    return in_threads(found) if isinstance(found, App) else found


def _describable(found: Found) -> Found:
    """The app, unless values of the wrong kind, in a place that no rule knows, would stop every list."""
    if isinstance(found, App):
        try:
            AppRegistry([found]).info(found.key)
        except (ValueError, TypeError, AttributeError) as error:
            return BrokenApp(found.key, f"It cannot be described: {type(error).__name__}: {error}")
    return found


def _one(app: App, what: str, key: str, items: Iterable[Part]) -> Part:
    for item in items:
        if item.key == key:
            return item
    raise NotFound(f"{app.name} has no {what} {key}.", todo="Choose another one in this step.")


def _auth_info(app: App, auth: Auth) -> AuthInfo:
    return AuthInfo(
        fields=auth_fields(app),
        uses_browser=auth.generate_auth_url is not None,
        browser_if=auth.browser_if,
        verifies_calls=auth.verify_webhook is not None,
    )


def _trigger_info(trigger: Trigger) -> TriggerInfo:
    return TriggerInfo(
        key=trigger.key,
        name=trigger.name,
        description=trigger.description,
        kind=trigger.kind,
        poll_interval=trigger.poll_interval,
        show_webhook_url=trigger.show_webhook_url,
        verifies_calls=trigger.verify_webhook is not None,
        supports_connections=trigger.supports_connections,
        connection_app=trigger.connection_app,
        connection_optional=trigger.connection_optional,
        arguments=trigger.arguments,
    )


def _action_info(action: Action) -> ActionInfo:
    return ActionInfo(
        key=action.key,
        name=action.name,
        description=action.description,
        supports_connections=action.supports_connections,
        connection_app=action.connection_app,
        connection_optional=action.connection_optional,
        arguments=action.arguments,
    )
