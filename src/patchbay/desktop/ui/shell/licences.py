"""What the program is built with, for Settings, About."""

from importlib.metadata import PackageNotFoundError, version

PACKAGES = (
    ("PySide6_Essentials", "Qt for Python", "LGPL-3.0"),
    ("pydantic", "pydantic", "MIT"),
    ("httpx", "httpx", "BSD-3-Clause"),
    ("SQLAlchemy", "SQLAlchemy", "MIT"),
    ("alembic", "Alembic", "MIT"),
    ("fastapi", "FastAPI", "MIT"),
    ("uvicorn", "Uvicorn", "BSD-3-Clause"),
    ("cryptography", "cryptography", "Apache-2.0 or BSD-3-Clause"),
    ("keyring", "keyring", "MIT"),
    ("croniter", "croniter", "MIT"),
)
FILES = (("Lucide icons", "ISC"), ("Inter", "OFL-1.1"), ("JetBrains Mono", "OFL-1.1"))


def built_with() -> tuple[tuple[str, str], ...]:
    """Name with version, and licence, of each."""
    named = tuple((f"{name} {_version(package)}".strip(), licence) for package, name, licence in PACKAGES)
    return (*named, *FILES)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
