"""Creates an app folder from `template/` (`patchbay app new`)."""

import re
from pathlib import Path

from patchbay.domain.base import AppKey
from patchbay.domain.errors import Conflict, StorageFault
from patchbay.integration.app_rules import is_valid_app_key
from patchbay.integration.values import parameter_error

TEMPLATE = Path(__file__).parent / "template"
_KEY, _NAME = "my-app", re.compile(r"\bMy App\b")  # not the tab My Apps
_IGNORED_FOLDER = "__pycache__"


def write_app(key: AppKey, parent: Path) -> Path:
    """Create the folder `key` in `parent`, or fill `parent` if it already has that name.

    Raises `ValidationFailed` for an invalid key, `Conflict` if something already exists there.
    """
    if not is_valid_app_key(key):
        raise parameter_error(
            "key",
            f"“{key}” isn't a valid app key.",
            "Use lower-case letters, digits, and single hyphens, such as my-app, and no name of a Windows "
            "device, such as con or com1.",
        )
    folder = parent if parent.name == key else parent / key
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Conflict(
            f"{folder} already exists.",
            meaning="No files were created.",
            todo="Choose another key or folder.",
        )
    try:
        for source in sorted(TEMPLATE.rglob("*")):
            if source.is_file() and _IGNORED_FOLDER not in source.parts:
                target = folder / source.relative_to(TEMPLATE)
                target.parent.mkdir(parents=True, exist_ok=True)
                text = source.read_text(encoding="utf-8").replace(_KEY, key)
                text = _NAME.sub(default_app_name(key), text)
                target.write_text(text, encoding="utf-8")
    except OSError as error:
        raise StorageFault(
            f"Couldn't create {folder}: {error.strerror}.", todo="Choose another folder."
        ) from error
    return folder


def default_app_name(key: AppKey) -> str:
    """The default display name for an app key."""
    return " ".join(part.capitalize() for part in key.split("-"))
