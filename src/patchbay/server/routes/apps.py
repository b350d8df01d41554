"""Integration apps and their icons."""

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from patchbay.domain.apps import AppInfo
from patchbay.server.access import Home, Whole
from patchbay.server.docs import answers, shows
from patchbay.server.envelope import Many, One, many, one
from patchbay.server.icons import icon_response
from patchbay.server.params import AppPath, Text

router = APIRouter(tags=["apps"])
icons = APIRouter(tags=["apps"])


@router.get("/apps", responses=answers(Many[AppInfo]))
async def list_apps(
    home: Home,
    name: Annotated[Text, Query(description="Part of the app's key or name.")] = None,
    only_with_triggers: Annotated[Text, Query(alias="onlyWithTriggers")] = None,
    only_with_actions: Annotated[Text, Query(alias="onlyWithActions")] = None,
) -> Response:
    """Apps by name. The two switches count as on with any value."""
    wanted = (name or "").casefold()
    apps = [app for app in await home.list_apps() if wanted in app.key or wanted in app.name.casefold()]
    if only_with_triggers or only_with_actions:
        read = {app.key: await home.get_app(app.key) for app in apps if app.broken is None}
        apps = [
            app
            for app in apps
            if (info := read.get(app.key))
            and (info.triggers or not only_with_triggers)
            and (info.actions or not only_with_actions)
        ]
    return many(apps)


@router.get("/apps/{appKey}", responses=answers(One[AppInfo], missing=True))
async def get_app(home: Home, app_key: AppPath) -> Response:
    """One app with its auth fields, triggers and actions."""
    return one(await home.get_app(app_key))


@icons.get("/apps/{appKey}/assets/icon.svg", responses=shows("image/svg+xml", "The picture.", missing=True))
async def app_icon(home: Whole, app_key: AppPath) -> Response:
    """The app's glyph, or its first letter in its colour. Needs no API key."""
    return icon_response(await home.get_app(app_key))
