"""Licences of the libraries that the program uses, for Settings → About."""

import re
from collections.abc import Iterable
from importlib.metadata import PackageMetadata, PackageNotFoundError, metadata, requires
from itertools import chain

from patchbay.desktop.core.language import tr

BUNDLED = (
    ("Inter", "OFL-1.1"),
    ("JetBrains Mono", "OFL-1.1"),
    ("Lucide icons", "ISC"),
    ("Simple Icons", "CC0-1.0"),
    ("Swagger UI", "Apache-2.0"),
)
"""Components of the program that aren't Python libraries."""
DISPLAY_NAMES = {"pyside6-essentials": "Qt for Python"}
KNOWN_LICENCES = {"pyside6-essentials": "LGPL-3.0", "imapclient": "BSD-3-Clause"}
"""The licence that we chose among several, or that the library's metadata doesn't state."""
UNKNOWN_LICENCE = tr("see the library")


def built_with() -> tuple[tuple[str, str], ...]:
    """Name with version, and licence, of each required library and each bundled part."""
    return (*libraries(requires("patchbay") or ()), *BUNDLED)


def libraries(requirements: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Name with version, and licence, of each of these requirements that is installed, in alphabetical order.

    Requirements of extras are left out.
    """
    found = {}
    for requirement in requirements:
        name = re.match(r"[\w.-]+", requirement)
        if name is None or "extra ==" in requirement:
            continue
        try:
            package = metadata(name[0])
        except PackageNotFoundError:  # only needed on other systems or Python versions
            continue
        shown = DISPLAY_NAMES.get(_package_key(package), package["Name"])
        found[shown.lower()] = (f"{shown} {package['Version']}", _licence(package))
    return tuple(found[name] for name in sorted(found))


def _licence(package: PackageMetadata) -> str:
    """The licence as a short expression."""
    classifiers = package.get_all("Classifier") or ()
    names = [
        classifier.rpartition(" :: ")[2] for classifier in classifiers if classifier.startswith("License :: ")
    ]
    fields = (package.get_all(field) or () for field in ("License-Expression", "License"))
    licence_texts = (*chain.from_iterable(fields), *names)
    short = (text for text in licence_texts if text and len(text) < 50 and text != "UNKNOWN")
    return KNOWN_LICENCES.get(_package_key(package)) or next(short, UNKNOWN_LICENCE).removesuffix(" License")


def _package_key(package: PackageMetadata) -> str:
    return package["Name"].lower().replace("_", "-")
