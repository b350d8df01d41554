"""Apps, with how much they are used."""

from patchbay.domain.apps import AppInfo
from patchbay.domain.base import AppKey
from patchbay.service.parts import Operations
from patchbay.storage.repositories import connections, flows
from patchbay.storage.repositories.rows import Tx

_Counts = tuple[dict[AppKey, int], dict[AppKey, int]]


class AppOperations(Operations):
    """What can be connected and used in flows."""

    async def list_apps(self) -> tuple[AppInfo, ...]:
        counts = await self._db.read(_counts)
        return tuple(_counted(info, counts) for info in self._apps.infos())

    async def get_app(self, key: AppKey) -> AppInfo:
        info = self._apps.info(key, detail=True)
        return _counted(info, await self._db.read(_counts))


def _counts(tx: Tx) -> _Counts:
    return connections.count_by_app(tx), flows.count_by_app(tx)


def _counted(info: AppInfo, counts: _Counts) -> AppInfo:
    connected, used = counts
    return info.model_copy(
        update={"connection_count": connected.get(info.key, 0), "flow_count": used.get(info.key, 0)}
    )
