"""Reads how an app connects: the files of its `auth` folder, without running them."""

import ast
from collections.abc import Iterator

from patchbay.integration.check_sources import Breach, Sources
from patchbay.integration.contract import App
from patchbay.integration.oauth import OAuth2

_FILES = ("__init__.py", "verify_credentials.py", "is_still_verified.py")
_OPTIONAL = ("generate_auth_url", "refresh_token", "verify_webhook")
_REQUESTS = frozenset(("get", "post", "put", "patch", "delete", "request"))
_SCREEN_NAME = "screenName"


def auth_breaches(sources: Sources, app: App | None) -> Iterator[Breach]:
    """What the files say against the contract; `app` is None when it could not be loaded."""
    for name in _FILES:
        if f"auth/{name}" not in sources.files:
            yield Breach(f"auth/{name}", 1, f"The app has no auth/{name}.")
    yield from _optional_files(sources, app)
    if tree := sources.files.get("auth/verify_credentials.py"):
        yield from _verify("auth/verify_credentials.py", tree, app)
    if tree := sources.files.get("auth/is_still_verified.py"):
        yield from _still_verified("auth/is_still_verified.py", tree)


def _optional_files(sources: Sources, app: App | None) -> Iterator[Breach]:
    """Functions have files of their own; what `oauth2(…)` brings along needs none."""
    auth = app.auth if app else None
    for name in _OPTIONAL:
        method = getattr(auth, name, None)
        if method is None or isinstance(getattr(method, "__self__", None), OAuth2):
            continue
        if f"auth/{name}.py" not in sources.files:
            yield Breach(f"auth/{name}.py", 1, f"The function {name} should be defined in auth/{name}.py.")


def _verify(file: str, tree: ast.Module, app: App | None) -> Iterator[Breach]:
    function = _function("verify_credentials", tree)
    if function is None:
        yield Breach(file, 1, "There is no `async def verify_credentials(ctx)`.")
        return
    if not _sends(tree):
        yield Breach(file, function.lineno, "It sends no request, so any credentials would be accepted.")
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and _names_connection(node)]
    if not names:
        yield Breach(file, function.lineno, "It does not set screenName, so the connection has no name.")
    has_field = bool(app and app.auth and any(field.key == _SCREEN_NAME for field in app.auth.fields))
    if app and not has_field and names and all(map(_only_typed, names)):
        message = (
            "It takes screenName from what was entered, but there is no auth field screenName to enter it."
        )
        yield Breach(file, names[0].lineno, message)


def _still_verified(file: str, tree: ast.Module) -> Iterator[Breach]:
    function = _function("is_still_verified", tree)
    if function is None:
        yield Breach(file, 1, "There is no `async def is_still_verified(ctx)`.")
        return
    if "verify_credentials" not in ast.unparse(function) and not _sends(tree):
        yield Breach(file, function.lineno, "It asks nobody whether the credentials still hold.")
    if not any(isinstance(node, ast.Return) and node.value for node in ast.walk(function)):
        yield Breach(file, function.lineno, "It never returns true.")


def _function(name: str, tree: ast.Module) -> ast.AsyncFunctionDef | None:
    found = next((node for node in ast.walk(tree) if getattr(node, "name", None) == name), None)
    return found if isinstance(found, ast.AsyncFunctionDef) else None


def _names_connection(call: ast.Call) -> bool:
    """Whether this is `ctx.auth.set(screenName=…)`, or with a mapping that may hold it."""
    names = [keyword.arg for keyword in call.keywords]
    return ast.unparse(call.func).endswith("auth.set") and (_SCREEN_NAME in names or None in names)


def _only_typed(call: ast.Call) -> bool:
    """Whether the name is nothing but the screenName that was entered."""
    value = next((keyword.value for keyword in call.keywords if keyword.arg == _SCREEN_NAME), None)
    if value is None or isinstance(value, ast.BoolOp):
        return False
    text = ast.unparse(value)
    names = {node.id for node in ast.walk(value) if isinstance(node, ast.Name)}
    return "auth.data" in text and _SCREEN_NAME in text and names <= {"ctx", "str"}


def _sends(tree: ast.Module) -> bool:
    """Whether something awaited or entered looks like a call of `ctx.http`, or of a helper given `ctx`.

    Apps that speak another protocol than HTTP ask through such helpers: `async with session(ctx) as server`.
    """
    calls = [node.value for node in ast.walk(tree) if isinstance(node, ast.Await)]
    blocks = [node for node in ast.walk(tree) if isinstance(node, ast.AsyncWith)]
    calls += [item.context_expr for block in blocks for item in block.items]
    return any(
        isinstance(call, ast.Call)
        and (_is_request(call.func) or (isinstance(call.func, ast.Name) and _takes_context(call)))
        for call in calls
    )


def _is_request(function: ast.expr) -> bool:
    is_request = isinstance(function, ast.Attribute) and function.attr in _REQUESTS
    return is_request and "http" in ast.unparse(function)


def _takes_context(call: ast.Call) -> bool:
    return any(isinstance(argument, ast.Name) and argument.id == "ctx" for argument in call.args)
