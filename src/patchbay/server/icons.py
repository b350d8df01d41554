"""App icons as SVG answers that cannot run anything."""

from html import escape

from starlette.responses import Response

from patchbay.domain.apps import AppInfo

_HEADERS = {
    "cache-control": "public, max-age=3600",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    "x-content-type-options": "nosniff",
}


def icon_response(app: AppInfo) -> Response:
    """The glyph the app brings, or a monogram."""
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
