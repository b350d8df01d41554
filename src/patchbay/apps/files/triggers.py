"""The trigger “New or changed file”."""

import asyncio
import hashlib
import secrets
from collections.abc import AsyncGenerator, Iterable
from dataclasses import astuple, dataclass, replace
from functools import partial

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.errors import AppError, Unreachable
from patchbay.integration import YES_NO, Context, Trigger, dropdown, text
from patchbay.integration.local_files import AllowedPath, FileEntry, Listing, NamePattern
from patchbay.integration.values import as_bool, number, parameter_error, text_of

from .snapshot import Change, Event, Found, Rules, Snapshot, compare

SCAN_SECONDS = 5.0
"""Pause between two looks at a folder. Longer for large ones: looking takes at most 2% of the time."""
_SHARE = 50
_FOLLOW_UPS = 6
_SETTLE_SECONDS, _MAX_SETTLE_SECONDS = 10, 3600
_KEY = "files.watchedFolder"
_SHOWN = 200
_CHANGES: tuple[tuple[Json, str], ...] = (
    ("new", "New files"),
    ("newOrChanged", "New and changed files"),
    ("removed", "Files that are moved, renamed, or deleted"),
    ("all", "All changes"),
)
_KINDS = {
    "new": {Change.NEW},
    "newOrChanged": {Change.NEW, Change.CHANGED},
    "removed": {Change.REMOVED},
    "all": {*Change},
}


@dataclass(frozen=True)
class _Watched:
    """The folder that a trigger looks at, and which of its files."""

    folder: AllowedPath
    pattern: NamePattern
    subfolders: bool
    source: str
    """What identifies the files that count: those of another source are a different matter."""
    changes: frozenset[Change]
    settle_seconds: int

    async def listing(self, ctx: Context) -> Listing:
        """The matching files."""
        return await ctx.files.listing(self.folder, self.pattern, subfolders=self.subfolders)

    def item(self, event: Event) -> JsonObject:
        """The event as data for the flow."""
        parts = tuple(event.key.split("/"))
        modified, size = event.version
        entry = FileEntry(str(self.folder.child(*parts)), parts, size, modified)
        return {"change": event.change.value, **entry.wire()}


@dataclass(frozen=True)
class _Stored:
    """A packed snapshot of the files of a source. `id` is that of its publication."""

    source: str
    id: str
    packed: str


@dataclass
class _State:
    """What is stored for a flow: what it knows, and what it will know if its last publication succeeded."""

    known: _Stored | None = None
    published: _Stored | None = None

    def wire(self) -> JsonObject:
        """The state as JSON."""
        return {name: [*astuple(one)] for name, one in vars(self).items() if one is not None}

    @classmethod
    def read(cls, wire: Json) -> "_State":
        """The state that was stored."""
        parts = wire if isinstance(wire, dict) else {}
        return cls(**{name: _Stored(*map(str, one)) for name, one in parts.items() if isinstance(one, list)})


def _watched(ctx: Context) -> _Watched:
    entered = {name: text_of(ctx.parameters, name) for name in ("folder", "pattern")}
    subfolders = as_bool(ctx.parameters.get("subfolders"))
    identity = "\n".join((entered["folder"], entered["pattern"].strip().casefold(), str(subfolders)))
    seconds = _SETTLE_SECONDS
    if text_of(ctx.parameters, "settleSeconds").strip():
        seconds = int(number(ctx.parameters, "settleSeconds", "Settled after"))
    if not 0 <= seconds <= _MAX_SETTLE_SECONDS:
        message = f"Enter a number of seconds from 0 to {_MAX_SETTLE_SECONDS:,}."
        raise parameter_error("settleSeconds", message)
    return _Watched(
        folder=ctx.files.path(entered["folder"], "folder"),
        pattern=NamePattern(entered["pattern"]),
        subfolders=subfolders,
        source=hashlib.sha256(identity.encode()).hexdigest()[:32],
        changes=frozenset(_KINDS.get(text_of(ctx.parameters, "changes"), _KINDS["new"])),
        settle_seconds=seconds,
    )


async def run(ctx: Context) -> None:
    """Compare the folder with what was seen last. What is there at publishing counts as known."""
    watched = _watched(ctx)
    listing = await watched.listing(ctx)
    if ctx.execution.test_run:
        _push_newest(ctx, watched, listing)
        return
    async with ctx.files.lock(watched.folder):
        await (_publish if ctx.is_baseline else _poll)(ctx, watched, listing)


async def _publish(ctx: Context, watched: _Watched, listing: Listing) -> None:
    """Store what is there now, under an ID by which the next poll sees whether publishing succeeded.

    If it didn't, the version that is still published continues from its stored state.
    """
    state = await _load(ctx)
    if state.published is not None and await _is_stored(ctx, state.published.id):
        state.known = state.published
    state.published = await _first(ctx, watched, listing)
    await ctx.datastore.set(_KEY, state.wire())
    ctx.mark_known(state.published.id)


async def _poll(ctx: Context, watched: _Watched, listing: Listing) -> None:
    state = await _load(ctx)
    published, known = state.published, state.known
    is_new = published is not None and published.source == watched.source
    if published is not None and is_new and (known is None or await _is_stored(ctx, published.id)):
        state.known, state.published = published, None
    if state.known is None or state.known.source != watched.source:
        state.known = await _first(ctx, watched, listing)
        await ctx.datastore.set(_KEY, state.wire())
        return
    before = await _unpack(ctx, watched, state.known)
    _require_connected(watched, before, listing)
    stored = await ctx.seen([event.id for event in before.pending])
    rules = Rules(watched.changes, watched.settle_seconds * 1000)

    def compared() -> tuple[Snapshot, str | None]:
        after = compare(before, _found(listing), stored, ctx.now, rules)
        return after, after.pack() if after != before else None

    after, packed = await ctx.files.run(compared, watched.folder)
    if packed is not None:
        state.known = replace(state.known, packed=packed)
    if packed is not None or known is not state.known:
        await ctx.datastore.set(_KEY, state.wire())
    await _push(ctx, watched, after.pending)


async def _push(ctx: Context, watched: _Watched, events: Iterable[Event]) -> None:
    for count, event in enumerate(sorted(events, key=_moment, reverse=True), 1):
        with ctx.guard_item(event.id, name=event.key[:_SHOWN]):
            ctx.push_trigger_item(watched.item(event), event.id)
        if count % 100 == 0:
            await asyncio.sleep(0)


async def _load(ctx: Context) -> _State:
    return _State.read(await ctx.datastore.get(_KEY))


async def _is_stored(ctx: Context, event_id: str) -> bool:
    return bool(await ctx.seen([event_id]))


async def _first(ctx: Context, watched: _Watched, listing: Listing) -> _Stored:
    found = _found(listing)
    packed = await ctx.files.run(lambda: Snapshot(found.device, found.files).pack(), watched.folder)
    return _Stored(watched.source, f"published-{secrets.token_hex(8)}", packed)


async def _unpack(ctx: Context, watched: _Watched, stored: _Stored) -> Snapshot:
    try:
        return await ctx.files.run(lambda: Snapshot.unpack(stored.packed), watched.folder)
    except ValueError:
        raise AppError(
            f"What was known about “{watched.folder}” is damaged.",
            meaning="Which files are new isn't known.",
            todo="Publish the flow again. The files that are there then don't start it.",
        ) from None


def _push_newest(ctx: Context, watched: _Watched, listing: Listing) -> None:
    if listing.entries:
        newest = max(listing.entries, key=lambda entry: (entry.modified_ns, entry.key))
        event = Event("test", Change.NEW, newest.key, (newest.modified_ns, newest.size))
        ctx.push_trigger_item(watched.item(event), event.id)


def _require_connected(watched: _Watched, before: Snapshot, listing: Listing) -> None:
    """Raise `Unreachable` if only the empty folder is there at which a drive is usually found."""
    if before.files and not listing.entries and listing.device != before.device:
        raise Unreachable(
            f"“{watched.folder}” is empty, and on another disk than before.",
            meaning="Its drive may be disconnected, so its files aren't taken as deleted.",
            todo="Connect the drive. If the folder is meant to be empty, put a file into it.",
        )


def _found(listing: Listing) -> Found:
    files = {entry.key: (entry.modified_ns, entry.size) for entry in listing.entries}
    return Found(listing.device, files, listing.unreadable)


def _signature(listing: Listing) -> int:
    return hash(frozenset((entry.key, entry.modified_ns, entry.size) for entry in listing.entries))


def _moment(event: Event) -> tuple[int, str]:
    return event.version[0], event.key


async def watch(ctx: Context) -> AsyncGenerator[None, None]:
    """Look at the folder every few seconds, and signal when it differs; again when that has settled."""
    watched, loop = _watched(ctx), asyncio.get_running_loop()
    yield
    last, due, follow_ups = 0, loop.time(), _FOLLOW_UPS
    wait = watched.settle_seconds + SCAN_SECONDS
    pause = SCAN_SECONDS
    while True:
        await asyncio.sleep(pause)
        began = loop.time()
        listing = await watched.listing(ctx)
        current = await ctx.files.run(partial(_signature, listing), watched.folder)
        pause = max(SCAN_SECONDS, _SHARE * (loop.time() - began))
        if current != last:
            last, follow_ups, due = current, 0, loop.time() + wait
            yield
        elif follow_ups < _FOLLOW_UPS and loop.time() >= due:
            # Later polls find settled what the first one found changing, however long they wait for a turn.
            follow_ups += 1
            due = loop.time() + wait * 2**follow_ups
            yield


new_or_changed_file = Trigger(
    key="newOrChangedFile",
    name="New or changed file",
    description="Starts when a file is added to a folder, changes, or disappears.",
    keywords=("folder", "watch", "created", "modified", "deleted", "renamed", "inbox", "drop"),
    arguments=(
        text(
            "folder",
            "Folder",
            required=True,
            variables=False,
            placeholder="/srv/files/inbox",
            description="Its full path. An admin allows folders in Settings → Engine.",
        ),
        text(
            "pattern",
            "Name pattern",
            variables=False,
            placeholder="*.csv",
            description="Such as *.csv. Separate multiple patterns with commas. Empty: all files.",
        ),
        dropdown("subfolders", "Include sub-folders", YES_NO, value=False),
        dropdown("changes", "Start for", _CHANGES, value="new", required=True),
        text(
            "settleSeconds",
            "Settled after",
            value=str(_SETTLE_SECONDS),
            variables=False,
            description="Seconds for which size and time must stay the same, so that no half-written file "
            "starts the flow.",
        ),
    ),
    source=("folder", "pattern", "subfolders"),
    file_arguments=("folder",),
    supports_connections=False,
    run=run,
    watch=watch,
)
