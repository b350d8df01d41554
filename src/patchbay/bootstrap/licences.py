"""What the program is built on, for the About page."""

LICENCES = (
    ("Qt and PySide6", "LGPL-3.0"),
    ("SQLAlchemy, Alembic", "MIT"),
    ("FastAPI, pydantic, croniter, platformdirs, keyring", "MIT"),
    ("httpx, uvicorn, Starlette, oauthlib", "BSD-3-Clause"),
    ("cryptography", "Apache-2.0 or BSD-3-Clause"),
    ("asyncpg", "Apache-2.0"),
    ("aiomysql, PyMySQL", "MIT"),
    ("phonenumbers", "Apache-2.0"),
    ("markdown-it-py, markdownify, stamina, tomli-w", "MIT"),
    ("filelock", "MIT"),
    ("Swagger UI, fastapi-offline", "Apache-2.0, MIT"),
    ("Lucide icons", "ISC"),
    ("Simple Icons", "CC0-1.0"),
    ("Inter, JetBrains Mono", "OFL-1.1"),
)
