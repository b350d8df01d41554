"""Paths as Dropbox expects them: beginning with a slash, and empty for the top folder."""

from patchbay.domain.base import Json
from patchbay.integration.values import as_text


def path_of(*parts: Json) -> str:
    """The parts as one path. IDs such as `id:abc` stay as they are."""
    names = [name for part in parts for name in as_text(part).strip().split("/") if name]
    path = "/".join(names)
    return path if path.startswith(("id:", "ns:")) or not path else f"/{path}"
