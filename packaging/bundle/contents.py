"""What a program folder contains: its interpreter, packages, and shared libraries, with their licences.

python packaging/bundle/contents.py sbom FOLDER          a CycloneDX bill of materials, as JSON
python packaging/bundle/contents.py copyright FOLDER     all licences in one text
python packaging/bundle/contents.py glibc FOLDER         the oldest glibc with which it starts
"""

import importlib.metadata
import os
import platform
import subprocess
import sys
import uuid
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import native
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.contact import OrganizationalEntity
from cyclonedx.model.license import DisjunctiveLicense
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL


class Library(NamedTuple):
    """A package of Debian or Ubuntu that shared libraries were copied from."""

    package: str
    version: str


class Contents:
    """Reads a program folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.packages = next(folder.glob("python/**/*-packages"))
        found = importlib.metadata.distributions(path=[str(self.packages)])
        self.distributions = sorted(found, key=lambda one: one.name.lower())

    @cached_property
    def libraries(self) -> list[Library]:
        """The system packages of the libraries beside the interpreter, as far as the system knows them."""
        found = set()
        for file in sorted((self.folder / "python" / "lib").glob("*.so*")):
            if file.name.startswith("libpython"):
                continue
            owner = subprocess.run(
                ["dpkg-query", "--search", f"*/{file.name}"], capture_output=True, text=True, check=False
            )
            for line in owner.stdout.splitlines()[:1]:
                package = line.partition(": ")[0].partition(",")[0]
                version = subprocess.check_output(
                    ["dpkg-query", "--show", "--showformat", "${Version}", package], text=True
                )
                found.add(Library(package.partition(":")[0], version))
        return sorted(found)

    def sbom(self) -> str:
        """The bill of materials."""
        root, *parts = sorted(map(_component, self.distributions), key=lambda part: part.name != "patchbay")
        python = Component(
            name="CPython",
            version=platform.python_version(),
            type=ComponentType.PLATFORM,
            licenses=[DisjunctiveLicense(id="PSF-2.0")],
            purl=PackageURL("generic", None, "cpython", platform.python_version()),
            bom_ref="cpython",
        )
        native_parts = [
            Component(
                name=library.package,
                version=library.version,
                type=ComponentType.LIBRARY,
                purl=PackageURL("deb", "debian", library.package, library.version),
                bom_ref=f"deb-{library.package}",
            )
            for library in self.libraries
        ]
        bom = Bom(
            components=[python, *parts, *native_parts],
            serial_number=uuid.uuid5(uuid.NAMESPACE_URL, root.version),
        )
        bom.metadata.component = root
        bom.metadata.timestamp = datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), UTC)
        bom.metadata.supplier = OrganizationalEntity(name=os.environ["PUBLISHER"])
        bom.register_dependency(root, [python, *parts, *native_parts])
        return JsonV1Dot6(bom).output_as_string(indent=1)

    def copyright(self) -> str:
        """Patchbay's licence, and those of everything else in the folder."""
        root = Path(__file__).parents[2]
        texts = [
            "Patchbay is under the Apache License 2.0, whose text comes first. The package also contains the works that",
            "are listed after it, with their licences. Qt and PySide6 are used under the LGPL, version 3: their libraries",
            "are separate files and can be replaced. Their source is at https://download.qt.io/official_releases/.",
            "",
            (root / "LICENSE").read_text("utf-8"),
        ]
        for one in self.distributions:
            texts.append(_title(f"{one.name} {one.version}, {_license(one)}"))
            texts += [file.read_text("utf-8", "replace") for file in self._license_files(one)]
        for notes in sorted(self.folder.glob("python/lib/python3*/LICENSE.txt")):
            texts += [_title(f"Python {platform.python_version()}"), notes.read_text("utf-8", "replace")]
        for library in self.libraries:
            file = Path("/usr/share/doc") / library.package / "copyright"
            texts += [_title(f"{library.package} {library.version}"), file.read_text("utf-8", "replace")]
        for name in ("LGPL-3", "GPL-3"):
            texts += [_title(name), (Path("/usr/share/common-licenses") / name).read_text("utf-8")]
        return "\n".join(texts)

    def _license_files(self, one: importlib.metadata.Distribution) -> list[Path]:
        notes = next(self.packages.glob(f"{one.name.replace('-', '?').replace('.', '?')}-*.dist-info"), None)
        named = ("licen", "copying", "notice", "authors")
        files = sorted(notes.rglob("*")) if notes is not None and one.name != "patchbay" else []
        return [file for file in files if file.is_file() and file.name.lower().startswith(named)]


def _component(one: importlib.metadata.Distribution) -> Component:
    return Component(
        name=one.name,
        version=one.version,
        type=ComponentType.APPLICATION if one.name == "patchbay" else ComponentType.LIBRARY,
        licenses=[DisjunctiveLicense(name=_license(one))],
        purl=PackageURL("pypi", None, one.name.lower().replace("_", "-"), one.version),
        bom_ref=f"pypi-{one.name.lower()}",
    )


def _license(one: importlib.metadata.Distribution) -> str:
    """The licence as the package states it: by the new field, the old one, or a classifier."""
    said = one.metadata
    old = (said.get("License") or "").strip()
    classes = [
        line.rpartition(" :: ")[2]
        for line in said.get_all("Classifier") or ()
        if line.startswith("License ::")
    ]
    short = old if old and "\n" not in old and len(old) < 80 else ""
    return said.get("License-Expression") or short or ", ".join(classes) or "see its licence file"


def _title(text: str) -> str:
    return f"\n{'=' * 100}\n{text}\n{'=' * 100}\n"


if __name__ == "__main__":
    contents = Contents(Path(sys.argv[2]).resolve())
    match sys.argv[1]:
        case "sbom":
            print(contents.sbom())
        case "copyright":
            print(contents.copyright())
        case "glibc":
            print(native.oldest_glibc(contents.folder))
