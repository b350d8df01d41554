"""Apps, with how much they are used."""

from patchbay.domain.apps import AppInfo
from patchbay.domain.base import AppKey
from patchbay.domain.fields import AuthField
from patchbay.integration.oauth import REDIRECT_PLACEHOLDER
from patchbay.service.service_context import Operations
from patchbay.storage.repositories import connections, flows
from patchbay.storage.repositories.rows import Tx

_Counts = tuple[dict[AppKey, int], dict[AppKey, int]]


class AppOperations(Operations):
    """What can be connected and used in flows."""

    async def list_apps(self) -> tuple[AppInfo, ...]:
        await self._reload_apps()
        counts = await self._db.read(_counts)
        return tuple(_counted(info, counts) for info in self._apps.infos())

    async def get_app(self, key: AppKey) -> AppInfo:
        await self._reload_apps()
        info = self._with_redirect(self._apps.info(key, detail=True))
        return _counted(info, await self._db.read(_counts))

    def _with_redirect(self, info: AppInfo) -> AppInfo:
        """The app with the exact address that browsers come back to, where its form shows one."""
        place = self._service_context.workspace
        if info.auth is None or not any(item.value == REDIRECT_PLACEHOLDER for item in info.auth.fields):
            return info
        fields = tuple(
            item.model_copy(update=_redirect(item, place.redirect_url(), place.notice()))
            for item in info.auth.fields
        )
        return info.model_copy(update={"auth": info.auth.model_copy(update={"fields": fields})})


def _redirect(field: AuthField, url: str | None, notice: str | None) -> dict[str, object]:
    if field.value != REDIRECT_PLACEHOLDER:
        return {}
    return {"value": url, "description": " ".join(filter(None, (field.description, notice)))}


def _counts(tx: Tx) -> _Counts:
    return connections.count_by_app(tx), flows.count_by_app(tx)


def _counted(info: AppInfo, counts: _Counts) -> AppInfo:
    connected, used = counts
    return info.model_copy(
        update={"connection_count": connected.get(info.key, 0), "flow_count": used.get(info.key, 0)}
    )
