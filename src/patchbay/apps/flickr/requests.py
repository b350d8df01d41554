"""Flickr has one address; the method is a parameter."""

from patchbay.domain.base import JsonObject
from patchbay.integration import page_numbers
from patchbay.integration.paging import Pages


def call(method: str, **parameters: str) -> JsonObject:
    """The query of a method about the connected user, with a response in JSON."""
    fixed: JsonObject = {"method": method, "format": "json", "nojsoncallback": 1, "user_id": "{auth.userId}"}
    return {**fixed, **parameters}


def pages(total: str) -> Pages:
    """Pages by number, of which there are as many as the response says at this path."""
    return page_numbers(limit_key="per_page", limit=500, total_pages=total)
