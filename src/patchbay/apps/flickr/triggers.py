"""Triggers."""

from patchbay.integration import dropdown, list_items, polling_trigger

from .requests import call, pages

_EXTRAS = (
    "description,license,date_upload,date_taken,owner_name,original_format,last_update,geo,tags,media,"
    "views,url_sq,url_t,url_s,url_m,url_l,url_o"
)

new_albums = polling_trigger(
    key="newAlbums",
    name="New album",
    description="Starts when you create an album.",
    items=list_items(
        "/rest",
        query=call("flickr.photosets.getList", extras=_EXTRAS),
        at="photosets.photoset",
        pages=pages("photosets.pages"),
        sort_by="date_create",
    ),
)

new_favorite_photos = polling_trigger(
    key="newFavoritePhotos",
    name="New favorite photo",
    description="Starts when you mark a photo as a favorite.",
    items=list_items(
        "/rest",
        query=call("flickr.favorites.getList", extras=_EXTRAS),
        at="photos.photo",
        internal_id="date_faved",
        pages=pages("photos.pages"),
    ),
)

new_photos = polling_trigger(
    key="newPhotos",
    name="New photo",
    description="Starts when you upload a photo.",
    items=list_items(
        "/rest",
        query=call("flickr.photos.search", extras=_EXTRAS, sort="date-posted-desc"),
        at="photos.photo",
        pages=pages("photos.pages"),
    ),
)

new_photos_in_album = polling_trigger(
    key="newPhotosInAlbum",
    name="New photo in album",
    description="Starts when a photo is added to an album.",
    arguments=[dropdown("album", "Album", source="listAlbums", required=True)],
    source=["album"],
    items=list_items(
        "/rest",
        query=call("flickr.photosets.getPhotos", photoset_id="{album}", extras=_EXTRAS),
        at="photoset.photo",
        pages=pages("photoset.pages"),
        sort_by="dateupload",
    ),
)
