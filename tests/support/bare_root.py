"""A bare Debian in a folder, without Python, in which programs run as on a freshly installed computer."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PLACE = Path(os.environ.get("PATCHBAY_BARE_ROOT", ROOT / "build" / "bare-root"))
"""Kept between runs: making it downloads 60 MB."""
RELEASE = "bookworm"
PACKAGES = ". packaging/system.sh; echo $bundle_libraries"
INSTALL = """
printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d && chmod 755 /usr/sbin/policy-rc.d
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq && apt-get install -y -qq --no-install-recommends bubblewrap "$@"
"""
ENTER = """
set -e
root=$1 shared=$2; shift 2
mount --bind "$root" "$root"
mount --rbind /dev "$root/dev"
mount --rbind /proc "$root/proc"
mkdir -p "$root$shared" "$root/old"
mount --bind "$shared" "$root$shared"
cd "$root"
pivot_root . old
exec /bin/sh -c 'umount -l /old && cd / && exec "$@"' enter "$@"
"""
"""Makes the folder the root of a mount namespace, and executes the words in the same process. The mounts end
with it."""


def why_not() -> str | None:
    """The reason why no bare root can be made here."""
    missing = [
        name for name in ("debootstrap", "unshare", "pivot_root") if not shutil.which(name, path=_PATH)
    ]
    if missing:
        return f"a bare root needs {', '.join(missing)}"
    return None if os.geteuid() == 0 else "a bare root is made as root"


_PATH = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"


class BareRoot:
    """The folder. Programs in it share only the folder for temporary files with the outside."""

    def __init__(self) -> None:
        if reason := why_not():
            pytest.skip(reason)
        if not (PLACE / "ready").exists():
            self._make()

    def words(self, *words: object) -> list[str]:
        """The command that executes these words in the root."""
        shared = tempfile.gettempdir()
        enter = ["unshare", "--mount", "--propagation", "private", "sh", "-c", ENTER, "enter"]
        return [*enter, str(PLACE), shared, *map(str, words)]

    def run(self, *words: object, env: Mapping[str, str], stdin: str = "", code: int = 0) -> str:
        """What these words print. They end with this code."""
        done = subprocess.run(
            self.words(*words),
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", **env},
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, f"{words} ended with {done.returncode}: {done.stdout}{done.stderr}"
        return done.stdout

    def files(self, folders: Sequence[str]) -> list[str]:
        """All files below these folders of the root whose path names Patchbay."""
        found = (file for folder in folders for file in (PLACE / folder).rglob("*patchbay*"))
        return sorted(str(file.relative_to(PLACE)) for file in found)

    def _make(self) -> None:
        shutil.rmtree(PLACE, ignore_errors=True)
        PLACE.parent.mkdir(parents=True, exist_ok=True)
        environment = {**os.environ, "PATH": _PATH}
        subprocess.run(
            ["debootstrap", "--variant=minbase", RELEASE, str(PLACE)],
            check=True,
            env=environment,
            timeout=1800,
        )
        libraries = subprocess.check_output(["sh", "-c", PACKAGES], cwd=ROOT, text=True).split()
        self.run("sh", "-c", INSTALL, "install", *libraries, env={})
        (PLACE / "ready").touch()
