"""Albums for dropdowns."""

from patchbay.integration import option_list

from .requests import call, pages

list_albums = option_list(
    "listAlbums",
    "/rest",
    query=call("flickr.photosets.getList"),
    at="photosets.photoset",
    label="{title._content}",
    pages=pages("photosets.pages"),
)
