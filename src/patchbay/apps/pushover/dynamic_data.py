"""Devices and sounds for dropdowns."""

from typing import Any

from patchbay.integration import option_list

list_devices = option_list("listDevices", "POST /1/users/validate.json", at="devices")


def _sounds(document: dict[str, Any]) -> list[dict[str, str]]:
    """Pushover sends the names of sounds by key."""
    return [{"id": key, "name": name} for key, name in document["sounds"].items()]


list_sounds = option_list("listSounds", "/1/sounds.json", at=_sounds)
