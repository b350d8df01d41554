"""Where the files shipped with the program are: icons, fonts, themes."""

from functools import cache
from pathlib import Path

import patchbay


@cache
def resources_folder() -> Path:
    """`patchbay/resources` in an installed wheel, the top-level `resources` in a checkout."""
    package = Path(patchbay.__file__).parent
    candidates = (package / "resources", package.parent.parent / "resources")
    found = next((folder for folder in candidates if (folder / "themes").is_dir()), None)
    if found is None:
        raise FileNotFoundError("The program's resource files are missing; install it again.")
    return found


def resource(*parts: str) -> Path:
    return resources_folder().joinpath(*parts)
