"""Screenshots on Wayland, where only the desktop itself may take them (xdg-desktop-portal)."""

import asyncio
from pathlib import Path
from urllib.parse import unquote, urlsplit

from patchbay.domain.errors import AppError, Forbidden, NotSupported, TimedOut
from patchbay.platform.desktop_portal import desktop_portal

CONSENT_SECONDS = 60.0
"""The desktop may ask the person first."""
MAX_BYTES = 100 << 20
_DENIED = 1


async def portal_screenshot() -> bytes:
    """A picture of the screen, as the file that the desktop made. Raises `NotSupported` and `Forbidden`."""
    unavailable = NotSupported(
        "The desktop can't take screenshots for programs.",
        meaning="On Wayland, xdg-desktop-portal takes them, which doesn't respond here.",
        todo="Install xdg-desktop-portal with the backend of your desktop.",
    )
    async with desktop_portal("Screenshot", unavailable) as portal:
        portal.end_time_limit()
        try:
            code, results = await portal.request(
                "Screenshot", "sa{sv}", "", seconds=CONSENT_SECONDS, interactive=("b", False)
            )
        except TimeoutError as error:
            raise TimedOut(
                f"The desktop took no screenshot within {CONSENT_SECONDS:.0f} seconds.",
                meaning="It probably asked for consent, and no one responded.",
                todo="Retry, and allow the screenshot when the desktop asks.",
            ) from error
    if code != 0:
        reason = "The screenshot was declined." if code == _DENIED else "The desktop took no screenshot."
        raise Forbidden(reason, todo="Allow screenshots for Patchbay in the settings of your desktop.")
    return await asyncio.to_thread(_read_picture, str(results.get("uri", ("s", ""))[1]))


def _read_picture(address: str) -> bytes:
    """The content of the file. It isn't deleted: it is in the folder where the desktop keeps screenshots."""
    parts = urlsplit(address)
    if parts.scheme != "file":
        raise AppError("The desktop returned no file with the screenshot.")
    file = Path(unquote(parts.path))
    try:
        with file.open("rb") as picture:
            content = picture.read(MAX_BYTES + 1)
    except OSError as error:
        raise AppError(f"The screenshot can't be read: {error.strerror}.") from error
    if len(content) > MAX_BYTES:
        raise AppError(f"The screenshot is larger than {MAX_BYTES >> 20} MB.")
    return content
