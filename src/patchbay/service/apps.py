"""Apps: what they offer, and how many connections and flows use them."""

from patchbay.domain.apps import AppInfo
from patchbay.domain.base import AppKey
from patchbay.integration.oauth import REDIRECT_PLACEHOLDER
from patchbay.service.service_context import ServiceContext
from patchbay.storage.repositories import connections, flows
from patchbay.storage.repositories.rows import Tx

_Counts = tuple[dict[AppKey, int], dict[AppKey, int]]


class Apps:
    """Lists and describes apps."""

    def __init__(self, context: ServiceContext) -> None:
        self._context = context

    async def list_apps(self) -> tuple[AppInfo, ...]:
        await self._context.reload_apps()
        counts = await self._context.db.read(_counts)
        return tuple(_counted(info, counts) for info in self._context.apps.infos())

    async def get_app(self, key: AppKey) -> AppInfo:
        await self._context.reload_apps()
        info = self._with_redirect(self._context.apps.info(key, detail=True))
        return _counted(info, await self._context.db.read(_counts))

    def _with_redirect(self, info: AppInfo) -> AppInfo:
        """Return the app with the redirect URL of this workspace, where its connection form shows one."""
        workspace = self._context.workspace
        if info.auth is None or not any(item.value == REDIRECT_PLACEHOLDER for item in info.auth.fields):
            return info
        url, notice = workspace.redirect_url(), workspace.notice()
        fields = tuple(
            item.model_copy(
                update={"value": url, "description": " ".join(filter(None, (item.description, notice)))}
            )
            if item.value == REDIRECT_PLACEHOLDER
            else item
            for item in info.auth.fields
        )
        return info.model_copy(update={"auth": info.auth.model_copy(update={"fields": fields})})


def _counts(tx: Tx) -> _Counts:
    return connections.count_by_app(tx), flows.count_by_app(tx)


def _counted(info: AppInfo, counts: _Counts) -> AppInfo:
    connected, used = counts
    return info.model_copy(
        update={"connection_count": connected.get(info.key, 0), "flow_count": used.get(info.key, 0)}
    )
