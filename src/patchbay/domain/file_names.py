"""Names of files that mean something else on Windows."""

import re

_DEVICE = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])", re.IGNORECASE)


def is_reserved_name(name: str) -> bool:
    """Whether Windows takes a name for a device, as it does with `con`, `nul.json`, and `COM1.tar.gz`."""
    return bool(_DEVICE.fullmatch(name.partition(".")[0].rstrip(" ")))


def unreserved_name(name: str) -> str:
    """The name, with an underscore before the dot if it is reserved."""
    stem, dot, ending = name.partition(".")
    return f"{stem.rstrip(' ')}_{dot}{ending}" if is_reserved_name(name) else name
