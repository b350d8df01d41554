"""Notifications with buttons, through the notification service of the desktop (freedesktop.org, on Linux)."""

import asyncio
import sys
from collections.abc import Mapping
from html import escape

from patchbay.domain.errors import NotSupported
from patchbay.platform import session_bus

CLICKED = "default"
"""The button that stands for the notification itself."""
_NAME, _PATH = "org.freedesktop.Notifications", "/org/freedesktop/Notifications"
_NORMAL_URGENCY = 1
_UNTIL_THE_DESKTOP_CLOSES_IT, _UNTIL_A_PERSON_CLOSES_IT = -1, 0


async def notify(
    title: str, text: str, buttons: Mapping[str, str], *, needs_buttons: bool = False
) -> str | None:
    """Show a notification, and wait until it is clicked or closed. Cancelling this closes it.

    `buttons` are labels by key. Returns the key of the button, `CLICKED` for the notification itself, or None
    if it was closed. `needs_buttons`: it stays until then, and is useless without them. Raises `NotSupported`
    if the desktop has no notification service, or none with buttons that are needed.
    """
    if not sys.platform.startswith("linux"):
        raise NotSupported("This desktop has no notification service.")
    # Imported here, because most windows never show a notification.
    from jeepney import DBusAddress, MatchRule

    service = DBusAddress(_PATH, bus_name=_NAME, interface=_NAME)
    signals = MatchRule(type="signal", interface=_NAME, path=_PATH)
    unavailable = NotSupported("The notification service of the desktop doesn't respond.")
    async with session_bus.bus_service(service, unavailable) as found, found.subscribed(signals):
        (abilities,) = await found.call("GetCapabilities")
        values = _notification(title, text, buttons, abilities, needs_buttons=needs_buttons)
        showing = asyncio.create_task(found.call("Notify", "susssasa{sv}i", *values))
        try:
            (number,) = await asyncio.shield(showing)
            found.end_time_limit()
            return await _clicked_button(found.signals, number)
        except asyncio.CancelledError:
            async with asyncio.timeout(session_bus.CONNECT_SECONDS):
                await found.call("CloseNotification", "u", *await showing)
            raise


def _notification(
    title: str, text: str, buttons: Mapping[str, str], abilities: object, *, needs_buttons: bool
) -> tuple[object, ...]:
    """The arguments of `Notify`, for a service with these abilities."""
    assert isinstance(abilities, list)
    if needs_buttons and "actions" not in abilities:
        raise NotSupported("The notifications of this desktop have no buttons.")
    body = escape(text, quote=False) if "body-markup" in abilities else text
    actions = [part for button in buttons.items() for part in button]
    return (
        "Patchbay",
        0,
        "patchbay",
        title,
        body,
        actions if "actions" in abilities else [],
        {"urgency": ("y", _NORMAL_URGENCY), "desktop-entry": ("s", "patchbay")},
        _UNTIL_A_PERSON_CLOSES_IT if needs_buttons else _UNTIL_THE_DESKTOP_CLOSES_IT,
    )


async def _clicked_button(arrived: session_bus.Signals, number: object) -> str | None:
    """The key of the button that is clicked on this notification; None once it is closed."""
    from jeepney import HeaderFields

    while True:
        signal = await arrived.get()
        name = signal.header.fields[HeaderFields.member]
        if signal.body[0] == number and name == "ActionInvoked":
            return str(signal.body[1])
        if signal.body[0] == number and name == "NotificationClosed":
            return None
