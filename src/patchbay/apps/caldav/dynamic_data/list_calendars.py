from collections.abc import Sequence
from urllib.parse import unquote, urlsplit

from patchbay.integration import Context, DynamicData, Option

from ..dav import DAV, Entry
from ..discovery import calendars


async def load(ctx: Context) -> Sequence[Option]:
    """The account's calendars by name. The options' values are their URLs."""
    options = [Option(label=_label(entry), value=entry.url) for entry in await calendars(ctx)]
    return sorted(options, key=lambda option: option.label.casefold())


def _label(entry: Entry) -> str:
    path = unquote(urlsplit(entry.url).path)
    return entry.text(f"{DAV}displayname") or path.rstrip("/").rpartition("/")[2]


list_calendars = DynamicData(key="listCalendars", load=load)
