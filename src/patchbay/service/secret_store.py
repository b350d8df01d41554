"""Connection secrets in one of two homes: sealed rows under the vault's key, or items of the system keyring.

Every connection has one row in either case. In the second home the row only names the item: its `format` is
`ITEM_FORMAT` and its `key_id` the item. A new value is always a new item, so that the row's commit decides
which one counts, and no keyring ever asks whether to overwrite; items nobody names are deleted afterwards.
"""

import json
from collections.abc import Callable
from uuid import uuid4

from patchbay.domain.base import ConnectionId, EpochMs, JsonObject
from patchbay.domain.errors import SecretsUnavailable
from patchbay.domain.ports import KeyHome
from patchbay.domain.secrets import SecretsHome
from patchbay.service.vault import Vault, VaultState
from patchbay.service.vault_words import unavailable
from patchbay.storage.database import Database
from patchbay.storage.repositories import meta, secrets, sign_ins
from patchbay.storage.repositories.rows import Tx
from patchbay.storage.repositories.secrets import ITEM_FORMAT, Sealed

_HOME = "secrets_home"
_NOTE = "item:"
"""Before the id of an item in `meta`, where each is noted before it is written."""
_ITEM = "connection:"
"""Before the id of an item in its name in the keyring."""


class SecretStore:
    """What the service keeps secrets with. `items` is the keyring for the second home, None where there is
    none; `home` is known after the first call.
    """

    def __init__(
        self, db: Database, vault: Vault, items: KeyHome | None, clock: Callable[[], EpochMs]
    ) -> None:
        self._db, self._vault, self._items, self._clock = db, vault, items, clock
        self._home: SecretsHome | None = None
        self._problem: SecretsUnavailable | None = None

    @property
    def place(self) -> str:
        """One sentence: where credentials are kept."""
        if self._home is SecretsHome.ITEMS and self._items is not None:
            return f"Each connection’s credentials are an item of the {self._items.name}."
        return self._vault.place

    @property
    def name(self) -> str:
        """The same in two words, for the status bar."""
        return self._vault.name

    @property
    def problem(self) -> SecretsUnavailable | None:
        """Why secrets could not be used when they were last needed; None when all is well."""
        return self._problem or self._vault.problem

    async def home(self) -> SecretsHome:
        if self._home is None:
            told = await self._db.read(lambda tx: meta.get(tx, _HOME))
            self._home = SecretsHome(told) if told else SecretsHome.SEALED
        return self._home

    async def open(self) -> VaultState:
        """Learn now whether secrets can be used. Never raises for one of the known reasons."""
        if await self.home() is SecretsHome.SEALED:
            return await self._vault.open()
        try:
            await self._keyring().get("state-check")
        except SecretsUnavailable as error:
            self._problem = error
            return VaultState(error.reason)
        self._problem = None
        return VaultState.OK

    async def require(self) -> None:
        """Raise `SecretsUnavailable` unless secrets can be stored and opened now."""
        if not (await self.open()).usable and self.problem:
            raise self.problem

    async def seal(self, connection_id: ConnectionId, data: JsonObject) -> Sealed:
        """Make the row to store; with the second home the item is written first."""
        return await self._seal(await self.home(), connection_id, data)

    async def unseal(self, sealed: Sealed) -> JsonObject:
        """The secrets behind a row, whichever home it belongs to."""
        if sealed.format != ITEM_FORMAT:
            return await self._vault.unseal(sealed)
        text = await self._keyring().get(_ITEM + sealed.key_id)
        if text is None:
            raise unavailable(
                "key_not_found", self.place, detail="The keyring item of this connection is gone."
            )
        data: JsonObject = json.loads(text)
        return data

    async def tidy(self) -> int:
        """Delete items that no row names any more; returns how many. Call after a row was committed."""
        return 0 if self._items is None else await self._tidy(self._items)

    async def move(self, home: SecretsHome) -> None:
        """Bring every secret to `home`: write, read back, commit all rows at once, then delete the old.

        Raises `SecretsUnavailable` and leaves everything as it was when a value cannot be read or kept.
        """
        rows = await self._db.read(secrets.every)
        moved = []
        for row in rows:
            data = await self.unseal(row)
            fresh = await self._seal(home, row.connection_id, data)
            if await self.unseal(fresh) != data:
                raise unavailable("no_keyring", self.place, detail="It did not keep what it was given.")
            moved.append(fresh)

        def commit(tx: Tx) -> None:
            for fresh in moved:
                secrets.put(tx, fresh)
            meta.put(tx, _HOME, home.value)

        await self._db.write(commit)
        self._home, self._problem = home, None
        await self.tidy()

    async def start_over(self) -> int:
        """Give up secrets whose key is lost; see `Vault.start_over`."""
        return await self._vault.start_over()

    def barred(self) -> dict[SecretsHome, str]:
        """Homes that secrets cannot be moved to, each with the reason."""
        if self._items is None:
            return {SecretsHome.ITEMS: "Only a system keyring can keep an item for each connection."}
        return {}

    async def _seal(self, home: SecretsHome, connection_id: ConnectionId, data: JsonObject) -> Sealed:
        if home is SecretsHome.SEALED:
            return await self._vault.seal(connection_id, data)
        keyring, text = self._keyring(), json.dumps(data, ensure_ascii=False, separators=(",", ":"))
        limit = keyring.max_characters
        if limit is not None and len(text) > limit:
            raise SecretsUnavailable(
                f"These credentials are too long for the {keyring.name}.", reason="too_large",
                meaning=f"It keeps {limit} characters in one item; these are {len(text)}.",
                todo="Keep secrets encrypted in the data folder instead (Settings, Secrets).",
            )  # fmt: skip
        item = str(uuid4())
        await self._db.write(lambda tx: meta.put(tx, _NOTE + item, ""))  # a crash leaves no unknown item
        await keyring.set(_ITEM + item, text)
        return Sealed(connection_id, ITEM_FORMAT, item, b"", b"")

    def _keyring(self) -> KeyHome:
        if self._items is None:
            raise unavailable("no_keyring", self.place)
        return self._items

    async def _tidy(self, keyring: KeyHome) -> int:
        noted = await self._db.read(lambda tx: meta.names(tx, _NOTE))
        named = {row.key_id for row in await self._db.read(secrets.every)}
        named |= await self._db.read(sign_ins.items)
        stale = [name for name in noted if name.removeprefix(_NOTE) not in named]
        for name in stale:
            await keyring.delete(_ITEM + name.removeprefix(_NOTE))

        def forget(tx: Tx) -> None:
            for name in stale:
                meta.remove(tx, name)

        if stale:
            await self._db.write(forget)
        return len(stale)
