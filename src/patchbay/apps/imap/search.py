"""Finds and fetches the messages in a folder that aren't known yet."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from patchbay.domain.base import Json, JsonObject
from patchbay.integration import Context
from patchbay.integration.values import as_bool, text_of

from .folders import folder_of
from .messages import iso_date_or_none

if TYPE_CHECKING:
    from imapclient import IMAPClient

MAX_MESSAGES = 200
"""Max. messages of one poll. Others follow with the next polls, oldest first, so that none is lost."""
MAX_TOTAL_BYTES = 40 * 1024 * 1024
"""Max. bytes of one poll, but always at least one message."""
MAX_MESSAGE_BYTES = 30 * 1024 * 1024
"""Of larger messages, only the beginning is read (`TRUNCATED_BYTES`)."""
TRUNCATED_BYTES = 1024 * 1024


@dataclass(frozen=True)
class FetchedMessage:
    """A fetched message. `about` has its properties that the server sends."""

    id: str
    about: JsonObject
    raw: bytes = field(repr=False)


@dataclass(frozen=True)
class SearchResult:
    """The result of one search: messages, oldest first, and the ID up to which all were checked."""

    mark: str
    messages: tuple[FetchedMessage, ...] = ()


@dataclass(frozen=True)
class MailSearch:
    """A search for new mail. `known`: IDs (`validity:uid`) of earlier searches; empty for the first."""

    folder: str
    terms: tuple[tuple[str, str], ...]
    unread_only: bool
    known: frozenset[str]
    only_newest: bool

    @classmethod
    def of(cls, ctx: Context) -> "MailSearch":
        """Read the search from the parameters of the trigger."""
        given = ctx.parameters
        typed = (("FROM", text_of(given, "from").strip()), ("SUBJECT", text_of(given, "subject").strip()))
        return cls(
            folder=folder_of(given),
            terms=tuple((name, term) for name, term in typed if term),
            unread_only=as_bool(given.get("unreadOnly")),
            known=ctx.known_ids,
            only_newest=ctx.execution.test_run,
        )

    def __call__(self, client: "IMAPClient") -> SearchResult:
        """Run the search, in the thread of the connection. Marks no message as read."""
        selected: dict[bytes, Any] = client.select_folder(self.folder, readonly=True)
        validity = int(selected[b"UIDVALIDITY"])
        highest = int(selected.get(b"UIDNEXT") or 1) - 1
        if self.only_newest:
            newest = self._search(client, 1)[-1:]
            return SearchResult(f"{validity}:{highest}", self._fetch_messages(client, validity, newest))
        # The highest known UID with the folder's current UIDVALIDITY.
        split_ids = (id_.partition(":") for id_ in self.known)
        ours = [int(uid) for prefix, _, uid in split_ids if prefix == str(validity) and uid.isdecimal()]
        since = max(ours, default=None)
        if since is None:
            # The first poll, or the folder has new UIDs: the messages in it are old.
            return SearchResult(f"{validity}:{highest}")
        uids = [uid for uid in self._search(client, since + 1) if uid > since]
        taken = self._take_within_limit(client, uids[:MAX_MESSAGES])
        last_uid = max(highest, since, *uids) if len(taken) == len(uids) else taken[-1]
        return SearchResult(f"{validity}:{last_uid}", self._fetch_messages(client, validity, taken))

    def _search(self, client: "IMAPClient", first: int) -> list[int]:
        """The UIDs from `first` on that match all conditions, in order.

        One search for each term, because ASCII terms have to be quoted differently from others.
        """
        base = f"UID {first}:* UNDELETED" + (" UNSEEN" if self.unread_only else "")
        found = [set(client.search(base))] if not self.terms else []
        for name, term in self.terms:
            if term.isascii():
                found.append(set(client.search(f"{base} {name} {_quoted(term)}")))
            else:
                found.append(set(client.search([*base.split(), name, term], charset="UTF-8")))
        return sorted(set.intersection(*found))

    def _take_within_limit(self, client: "IMAPClient", uids: list[int]) -> list[int]:
        """As many of these UIDs, oldest first, as one poll may read."""
        if not uids:
            return []
        sizes = client.fetch(uids, ["RFC822.SIZE"])
        taken: list[int] = []
        total = 0
        for uid in uids:
            total += min(int(sizes.get(uid, {}).get(b"RFC822.SIZE", 0)), MAX_MESSAGE_BYTES)
            if taken and total > MAX_TOTAL_BYTES:
                break
            taken.append(uid)
        return taken

    def _fetch_messages(
        self, client: "IMAPClient", validity: int, uids: Iterable[int]
    ) -> tuple[FetchedMessage, ...]:
        found = (self._fetch_message(client, validity, uid) for uid in sorted(uids))
        return tuple(message for message in found if message is not None)

    def _fetch_message(self, client: "IMAPClient", validity: int, uid: int) -> FetchedMessage | None:
        """The message; None if it was deleted meanwhile."""
        about = client.fetch([uid], ["RFC822.SIZE", "INTERNALDATE", "FLAGS"]).get(uid)
        if about is None:
            return None
        size = int(about.get(b"RFC822.SIZE", 0))
        part = f"BODY.PEEK[]<0.{TRUNCATED_BYTES}>" if size > MAX_MESSAGE_BYTES else "BODY.PEEK[]"
        content = client.fetch([uid], [part]).get(uid, {})
        raw = next((value for key, value in content.items() if key.startswith(b"BODY[]")), None)
        if raw is None:
            return None
        flags: list[Json] = [name.decode("ascii", "replace") for name in about.get(b"FLAGS", ())]
        known: JsonObject = {
            "id": f"{validity}:{uid}",
            "uid": uid,
            "folder": self.folder,
            "receivedAt": iso_date_or_none(about.get(b"INTERNALDATE")),
            "size": size,
            "flags": flags,
            "seen": "\\Seen" in flags,
            "truncated": size > MAX_MESSAGE_BYTES,
        }
        return FetchedMessage(f"{validity}:{uid}", known, raw)


def _quoted(term: str) -> str:
    """Quote ASCII text for IMAP. Control characters, which could end the command, become spaces."""
    plain = "".join(character if character.isprintable() else " " for character in term)
    return '"' + plain.replace("\\", "\\\\").replace('"', '\\"') + '"'
