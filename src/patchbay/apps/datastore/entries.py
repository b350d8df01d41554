"""Keys and entries, for both actions."""

from patchbay.domain.base import Json, JsonObject
from patchbay.integration.values import parameter_error, text_of

MAX_KEY = 255


def parse_key(parameters: JsonObject) -> str:
    """The key that was entered."""
    key = text_of(parameters, "key").strip()
    if not key or len(key) > MAX_KEY:
        raise parameter_error("key", f"Enter a key of 1 to {MAX_KEY} characters.")
    return key


def entry(key: str, value: Json) -> JsonObject:
    """The output for an entry: key, value, and the value under the key's name."""
    return {key: value, "key": key, "value": value}
