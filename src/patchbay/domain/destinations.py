"""When a stored secret may be used again: only while everything that decides where it goes stays the same.

The service enforces the rule; the window applies it first, so that it can ask before anything is sent.
"""

import re
from collections.abc import Iterable, Mapping
from urllib.parse import urlsplit

from patchbay.domain.base import Json
from patchbay.domain.fields import AuthField, is_empty, is_visible

_HOST_LIKE = re.compile(r"[A-Za-z0-9._-]+")
_DEFAULT_PORTS = {"http": 80, "https": 443}


def changed_destinations(
    fields: Iterable[AuthField], before: Mapping[str, Json], after: Mapping[str, Json]
) -> tuple[AuthField, ...]:
    """The fields that send credentials elsewhere, or protect them less, with the values of `after`."""
    return tuple(
        field
        for field in fields
        if field.is_destination and normalised(_value(field, before)) != normalised(_value(field, after))
    )


def secrets_to_reenter(
    fields: Iterable[AuthField], stored: Mapping[str, Json], entered: Mapping[str, Json]
) -> tuple[AuthField, ...]:
    """The stored secrets that a form with a changed destination doesn't mention.

    A secret that was sent empty counts as removed.
    """
    return tuple(
        field
        for field in fields
        if field.is_secret and not field.read_only and field.key not in entered
        and is_visible(field, {**stored, **entered}) and not is_empty(stored.get(field.key))
    )  # fmt: skip


def normalised(value: Json) -> str:
    """One spelling for values that lead to the same place: case of a host, default port, trailing slash."""
    text = "" if value is None else str(value).strip()
    if "://" in text:
        return _normalised_url(text)
    return text.casefold() if _HOST_LIKE.fullmatch(text) else text


def _normalised_url(text: str) -> str:
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return text
    shown = "" if port in (None, _DEFAULT_PORTS.get(parts.scheme)) else f":{port}"
    user, at, _ = parts.netloc.rpartition("@")
    rest = f"?{parts.query}" if parts.query else ""
    return f"{parts.scheme}://{user}{at}{host}{shown}{parts.path.rstrip('/')}{rest}"


def _value(field: AuthField, data: Mapping[str, Json]) -> Json:
    """What the field holds; its preset where nothing was entered, nothing while it is hidden."""
    if not is_visible(field, data):
        return None
    value = data.get(field.key)
    return field.value if value is None else value
