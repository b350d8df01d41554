"""The tokens with which a desktop allows a window to come to the front."""

import os

TOKEN_VARIABLES = {"activation_token": "XDG_ACTIVATION_TOKEN", "startup_id": "DESKTOP_STARTUP_ID"}
"""The environment variables, by the name of the token in `OpenRequest`."""


def take_tokens() -> dict[str, str]:
    """Return the tokens of this process, and remove them from its environment."""
    tokens = {name: os.environ.pop(variable, "") for name, variable in TOKEN_VARIABLES.items()}
    return {name: token for name, token in tokens.items() if _is_token(token)}


def _is_token(text: str) -> bool:
    return len(text) <= 512 and text.isascii() and text.isprintable() and " " not in text
