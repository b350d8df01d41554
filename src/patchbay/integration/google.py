"""What the apps for Google's services share: sign-in, the account of a connection, and files in Drive."""

from collections.abc import Awaitable, Callable, Sequence

from patchbay.domain.base import JsonObject
from patchbay.domain.fields import Argument, Option
from patchbay.integration.app_definition import Auth, ContextFunction, DynamicData
from patchbay.integration.builders import option_list
from patchbay.integration.context import Context
from patchbay.integration.fields import dropdown
from patchbay.integration.oauth import OAuth2, oauth2, revocation
from patchbay.integration.paging import Identify, Pages, cursor, list_items
from patchbay.integration.polling import Items
from patchbay.integration.sign_in_connections import oauth_auth
from patchbay.integration.templates import find_value
from patchbay.integration.third_party_errors import UnexpectedResponse, describe_shape

SCOPES_URL = "https://www.googleapis.com/auth"
PEOPLE_API = "https://people.googleapis.com"
DRIVE_API = "https://www.googleapis.com/drive/v3"
GOOGLE_PROFILE = f"{PEOPLE_API}/v1/people/me?personFields=names,emailAddresses"
"""The account that signed in. Requires the People API to be enabled in the Google Cloud project."""
FOLDER_TYPE = "application/vnd.google-apps.folder"
DRIVE_FILES = f"{DRIVE_API}/files"


def google_oauth(*scopes: str) -> OAuth2:
    """Sign-in with Google: these scopes (the last part of their address), and name and email address.

    Google only sends a refresh token for `access_type=offline` and a new consent. Scopes that were granted
    to other connections of the same client aren't included, so each token is limited to its own app. But
    revoking one ends all access of the client to the account, so it's done with the last connection.
    """
    return oauth2(
        authorize_url="https://accounts.google.com/o/oauth2/v2/auth",
        token_url="https://oauth2.googleapis.com/token",
        scopes=[f"{SCOPES_URL}/{scope}" for scope in (*scopes, "userinfo.email", "userinfo.profile")],
        authorize_params={"access_type": "offline", "prompt": "select_account consent"},
        revoke=revocation("https://oauth2.googleapis.com/revoke", client_auth="none"),
    )


def google_auth(
    oauth: OAuth2,
    verify_credentials: ContextFunction,
    is_still_verified: Callable[[Context], Awaitable[bool]],
    *,
    sends_to: tuple[str, ...] = (),
) -> Auth:
    """The connection of a Google app. `sends_to` are the addresses of further APIs that it uses."""
    return oauth_auth(oauth, verify_credentials, is_still_verified, sends_to=(PEOPLE_API, *sends_to))


async def google_account(ctx: Context) -> JsonObject:
    """The screen name and ID of the account that signed in, to store in the connection."""
    response = await ctx.http.get(GOOGLE_PROFILE)
    person = response.json()
    name, email = _primary(person, "names", "displayName"), _primary(person, "emailAddresses", "value")
    account_id = find_value(person, "resourceName")
    if not account_id or not (name or email):
        raise UnexpectedResponse(response, "the account's name", describe_shape(person))
    return {"screenName": " - ".join(filter(None, (name, email))), "accountId": str(account_id)}


def _primary(person: object, field: str, key: str) -> str:
    """The value marked as primary, such as the main email address; the first one if none is."""
    found = find_value(person, field)
    entries = found if isinstance(found, list) else []
    entries = sorted(entries, key=lambda entry: not find_value(entry, "metadata.primary"))
    return str(find_value(entries, f"0.{key}") or "")


def google_pages(limit_key: str = "", limit: int = 100) -> Pages:
    """Pages of a Google API: `nextPageToken` of a response is `pageToken` of the next request."""
    return cursor("nextPageToken", "pageToken", limit_key=limit_key, limit=limit)


# Google Drive

DRIVE_PAGES = google_pages("pageSize")

MY_DRIVE = "my-drive"
"""Stands for My Drive, which has no ID: lists that depend on the drive aren't loaded for an empty value."""
_shared_drives = option_list(
    "listDrives", f"{DRIVE_API}/drives", at="drives", pages=DRIVE_PAGES, absent_if_empty=True
)


async def _load_drives(ctx: Context) -> Sequence[Option]:
    """My Drive, then the shared drives."""
    return [Option(label="My Drive", value=MY_DRIVE), *await _shared_drives.load(ctx)]


list_drives = DynamicData(key="listDrives", load=_load_drives)


def drive_dropdown(*, variables: bool = False) -> Argument:
    """The argument that chooses My Drive or a shared drive."""
    return dropdown("driveId", "Drive", source="listDrives", value=MY_DRIVE, variables=variables)


def drive_files(
    search: Callable[[JsonObject], str] | str,
    *,
    order_by: str = "createdTime desc",
    internal_id: Identify = "id",
) -> Items:
    """The files in the chosen drive that match a search, with all their properties, newest first."""
    return list_items(
        DRIVE_FILES,
        at="files",
        internal_id=internal_id,
        pages=DRIVE_PAGES,
        query=drive_query(search, order_by, "nextPageToken,files(*)"),
        absent_if_empty=True,
    )


def drive_query(
    search: Callable[[JsonObject], str] | str,
    order_by: str = "name",
    fields: str = "nextPageToken,files(id,name)",
) -> Callable[[JsonObject], JsonObject]:
    """The query of a list of files. `search` is in Drive's query language, or a function that returns it."""

    def query(parameters: JsonObject) -> JsonObject:
        found: JsonObject = {
            "q": search(parameters) if callable(search) else search,
            "orderBy": order_by,
            "fields": fields,
        }
        drive_id = parameters.get("driveId")
        if drive_id and drive_id != MY_DRIVE:
            found |= {
                "corpora": "drive",
                "driveId": drive_id,
                "includeItemsFromAllDrives": True,
                "supportsAllDrives": True,
            }
        return found

    return query


def files_of_type(media_type: str) -> str:
    """The search for files of a type that aren't in the trash."""
    return f"mimeType = {drive_text(media_type)} and trashed = false"


def drive_text(value: object) -> str:
    """A value as a quoted text of Drive's query language."""
    escaped = str(value).replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
