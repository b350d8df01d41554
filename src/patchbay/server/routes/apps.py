"""Integration apps and their icons."""

from html import escape
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from patchbay.domain.apps import AppInfo
from patchbay.server.authentication import RequestBackend, UnrestrictedBackend
from patchbay.server.request_parameters import AppPath, OptionalText
from patchbay.server.responses import Many, One, describe_media, describe_responses, many, one

_HEADERS = {
    "cache-control": "public, max-age=3600",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    "x-content-type-options": "nosniff",
}


def icon_response(app: AppInfo) -> Response:
    """The app's icon or a monogram, with headers that keep an SVG from running scripts."""
    return Response(app.icon_svg or monogram(app), headers=_HEADERS, media_type="image/svg+xml")


def monogram(app: AppInfo) -> str:
    """The first letter of the app's name on its colour."""
    letter, colour = escape((app.name or app.key)[:1].upper()), escape(app.primary_color)
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">'
        f'<rect width="24" height="24" rx="5" fill="{colour}"/>'
        '<text x="12" y="17" text-anchor="middle" font-family="sans-serif" font-size="14" font-weight="600"'
        f' fill="#FFFFFF">{letter}</text></svg>'
    )


router = APIRouter(tags=["apps"])
icon_router = APIRouter(tags=["apps"])


@router.get("/apps", responses=describe_responses(Many[AppInfo]))
async def list_apps(
    backend: RequestBackend,
    name: Annotated[OptionalText, Query(description="Part of the app's key or name.")] = None,
    only_with_triggers: Annotated[OptionalText, Query(alias="onlyWithTriggers")] = None,
    only_with_actions: Annotated[OptionalText, Query(alias="onlyWithActions")] = None,
) -> Response:
    """List apps by name. `onlyWithTriggers` and `onlyWithActions` count as true with any value."""
    name_filter = (name or "").casefold()
    apps = [
        app
        for app in await backend.list_apps()
        if name_filter in app.key or name_filter in app.name.casefold()
    ]
    if only_with_triggers or only_with_actions:
        details = {app.key: await backend.get_app(app.key) for app in apps if app.broken is None}
        apps = [
            app
            for app in apps
            if (info := details.get(app.key))
            and (info.triggers or not only_with_triggers)
            and (info.actions or not only_with_actions)
        ]
    return many(apps)


@router.get("/apps/{appKey}", responses=describe_responses(One[AppInfo], not_found=True))
async def get_app(backend: RequestBackend, app_key: AppPath) -> Response:
    """Get an app with its auth fields, triggers, and actions."""
    return one(await backend.get_app(app_key))


@icon_router.get(
    "/apps/{appKey}/assets/icon.svg",
    responses=describe_media("image/svg+xml", "The icon.", not_found=True),
)
async def app_icon(backend: UnrestrictedBackend, app_key: AppPath) -> Response:
    """Get the app's icon, or its first letter in its colour. Needs no API key."""
    return icon_response(await backend.get_app(app_key))
