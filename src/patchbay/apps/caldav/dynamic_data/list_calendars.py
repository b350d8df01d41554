"""The list of calendars to choose from."""

from collections.abc import Sequence
from urllib.parse import unquote, urlsplit

from patchbay.integration import Context, DynamicData, Option

from ..dav import DAV
from ..discovery import calendars


async def load(ctx: Context) -> Sequence[Option]:
    """The account's calendars by name. The options' values are their URLs."""
    options: list[Option] = []
    for entry in await calendars(ctx):
        path = unquote(urlsplit(entry.url).path)
        label = entry.text(f"{DAV}displayname") or path.rstrip("/").rpartition("/")[2]
        options.append(Option(label=label, value=entry.url))
    return sorted(options, key=lambda option: option.label.casefold())


list_calendars = DynamicData(key="listCalendars", load=load)
