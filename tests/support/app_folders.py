"""Writes app folders as authors do, so that loader and checker meet real files."""

from pathlib import Path

DEFINITION = '''"""Shop."""
from patchbay.integration import App, bearer

from .actions.buy import buy
from .auth import auth

app = App(
    name="Shop",
    key="shop",
    supports_connections=True,
    base_url="https://shop.example",
    api_base_url="https://api.shop.example",
    primary_color="#112233",
    auth=auth,
    before_request=[bearer()],
    actions=[buy],
)
'''
AUTH = '''"""Auth."""
from patchbay.integration import Auth, api_key_fields

from .is_still_verified import is_still_verified
from .verify_credentials import verify_credentials

auth = Auth(
    fields=api_key_fields(),
    verify_credentials=verify_credentials,
    is_still_verified=is_still_verified,
)
'''
VERIFY = """from patchbay.integration import Context


async def verify_credentials(ctx: Context) -> None:
    await ctx.http.get("/me")
    await ctx.auth.set(screenName=ctx.auth.data.get("screenName"))
"""
STILL = """from patchbay.integration import Context

from .verify_credentials import verify_credentials


async def is_still_verified(ctx: Context) -> bool:
    await verify_credentials(ctx)
    return True
"""
BUY = """from patchbay.integration import Action, Context, text


async def run(ctx: Context) -> None:
    ctx.set_action_item(1)


buy = Action(key="buy", name="Buy", run=run, arguments=(text("what", "What", required=True),))
"""

GOOD_APP = {
    "__init__.py": DEFINITION,
    "auth/__init__.py": AUTH,
    "auth/verify_credentials.py": VERIFY,
    "auth/is_still_verified.py": STILL,
    "actions/__init__.py": "",
    "actions/buy.py": BUY,
    "icon.svg": "<svg/>",
    "docs.md": "# Connect Shop",
}


def write_app(folder: Path, changes: dict[str, str | None] | None = None) -> Path:
    """A good app at `folder`, with files replaced, or left out where the change is None."""
    for name, content in {**GOOD_APP, **(changes or {})}.items():
        if content is not None:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")
    return folder
