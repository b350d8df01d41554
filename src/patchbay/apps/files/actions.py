"""Actions."""

import heapq
import secrets

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.files import file_object
from patchbay.integration import YES_NO, Action, Argument, Context, OnInterrupted, dropdown, text
from patchbay.integration.files import File
from patchbay.integration.local_files import FileEntry, Listing, NamePattern, WriteMode
from patchbay.integration.values import as_bool, count, parameter_error, text_of

from .contents import ENCODINGS, MAX_BYTES, decode_json, decode_text, encode_content, require_appendable

_MAX_LISTED = 10_000
_LISTED = 100
_HINT = "Its full path. An admin allows folders in Settings → Engine."
_PLACEHOLDER = "/srv/files/report.csv"


def _path(key: str = "path", label: str = "File", description: str = _HINT) -> Argument:
    return text(key, label, required=True, placeholder=_PLACEHOLDER, description=description)


def _encoding(visible_if: dict[str, Json] | None = None) -> Argument:
    return dropdown("encoding", "Encoding", ENCODINGS, value="utf-8", visible_if=visible_if)


def _replaces(parameters: JsonObject) -> OnInterrupted:
    """Replacing a file again changes nothing; for everything else, a person decides."""
    replaces = as_bool(parameters.get("replace")) or parameters.get("mode") == WriteMode.REPLACE
    return OnInterrupted.REPEAT if replaces else OnInterrupted.ASK


async def run_read(ctx: Context) -> None:
    """Read a file."""
    path = ctx.files.path(text_of(ctx.parameters, "path"))
    entry, content = await ctx.files.read(path, MAX_BYTES)
    kind = text_of(ctx.parameters, "format")
    found: JsonObject = entry.wire()
    if kind == "file":
        content_type = File(entry.name, b"").content_type
        found["file"] = await ctx.files.run(lambda: file_object(entry.name, content_type, content), path)
    elif kind == "json":
        found["json"] = await decode_json(ctx, content)
    else:
        encoding = text_of(ctx.parameters, "encoding")
        found["text"] = await ctx.files.run(lambda: decode_text(content, encoding), path)
    ctx.set_action_item(found)


async def run_write(ctx: Context) -> None:
    """Write a file."""
    path = ctx.files.path(text_of(ctx.parameters, "path"))
    mode = _write_mode(ctx.parameters)
    value, encoding = ctx.parameters.get("content"), text_of(ctx.parameters, "encoding")
    appends = mode is WriteMode.APPEND
    if appends:
        require_appendable(encoding)
    as_line = appends and as_bool(ctx.parameters.get("lineBreak"), default=True)
    content = await ctx.files.run(lambda: encode_content(value, encoding, as_line=as_line), path)
    async with ctx.files.lock(path):
        entry = await ctx.files.write(path, content, mode)
    ctx.set_action_item(entry.wire())


def _write_mode(parameters: JsonObject) -> WriteMode:
    entered = text_of(parameters, "mode") or WriteMode.CREATE
    if entered not in {*WriteMode}:
        raise parameter_error(
            "mode", f"There is no mode “{entered[:40]}”.", "Enter create, replace, or append."
        )
    return WriteMode(entered)


async def run_move(ctx: Context) -> None:
    """Move or rename a file."""
    source = ctx.files.path(text_of(ctx.parameters, "path"))
    target = ctx.files.path(text_of(ctx.parameters, "target"), "target")
    entry = await ctx.files.move(source, target, replace=as_bool(ctx.parameters.get("replace")))
    ctx.set_action_item({**entry.wire(), "movedFrom": str(source)})


async def run_copy(ctx: Context) -> None:
    """Copy a file."""
    source = ctx.files.path(text_of(ctx.parameters, "path"))
    target = ctx.files.path(text_of(ctx.parameters, "target"), "target")
    entry = await ctx.files.copy(source, target, replace=as_bool(ctx.parameters.get("replace")))
    ctx.set_action_item({**entry.wire(), "copiedFrom": str(source)})


async def run_delete(ctx: Context) -> None:
    """Delete a file."""
    path = ctx.files.path(text_of(ctx.parameters, "path"))
    is_permanent = text_of(ctx.parameters, "how") == "permanently"
    trash_name = "" if is_permanent else f"{ctx.now}-{secrets.token_hex(3)}"
    deleted = await ctx.files.delete(path, trash_name=trash_name)
    ctx.set_action_item({**deleted.entry.wire(), "trashPath": deleted.trash_path or None})


async def run_list(ctx: Context) -> None:
    """List a folder."""
    folder = ctx.files.path(text_of(ctx.parameters, "folder"), "folder")
    listing = await ctx.files.listing(
        folder,
        NamePattern(text_of(ctx.parameters, "pattern")),
        subfolders=as_bool(ctx.parameters.get("subfolders")),
        folders=as_bool(ctx.parameters.get("includeFolders")),
    )
    most = count(ctx.parameters, "limit", "Max. files", default=_LISTED, most=_MAX_LISTED)
    order = text_of(ctx.parameters, "order")
    files = await ctx.files.run(lambda: _first_files(listing, order, most), folder)
    ctx.set_action_item({"files": files, "count": len(files), "total": len(listing.entries)})


def _first_files(listing: Listing, order: str, most: int) -> list[Json]:
    """The first files in an order. Sorting all of them would stop every other thread for too long."""
    found = heapq.nsmallest(most, listing.entries, key=_by_time if order == "newest" else _by_name)
    return [{**entry.wire(), "isFolder": entry.is_folder} for entry in found]


def _by_name(entry: FileEntry) -> tuple[str, str]:
    return entry.key.casefold(), entry.key


def _by_time(entry: FileEntry) -> tuple[int, tuple[str, str]]:
    return -entry.modified_ns, _by_name(entry)


read_file = Action(
    key="readFile",
    name="Read file",
    description="Reads a file as text, as JSON, or as a file for later steps.",
    keywords=("open", "load", "content", "attachment", "upload"),
    arguments=(
        _path(),
        dropdown(
            "format",
            "Read as",
            (("text", "Text"), ("json", "JSON"), ("file", "File, to attach or upload")),
            value="text",
            required=True,
        ),
        _encoding({"format": "text"}),
    ),
    file_arguments=("path",),
    supports_connections=False,
    on_interrupted=OnInterrupted.REPEAT,
    run=run_read,
)

write_file = Action(
    key="writeFile",
    name="Write file",
    description="Creates or replaces a file, or adds to its end. Missing folders are created.",
    keywords=("save", "create", "append", "log", "download"),
    arguments=(
        _path(),
        text(
            "content",
            "Content",
            multiline=True,
            description="Text, a file of an earlier step, or another value, which is written as JSON.",
        ),
        dropdown(
            "mode",
            "If the file exists",
            (("create", "Fail"), ("replace", "Replace it"), ("append", "Add to its end")),
            value="create",
            required=True,
        ),
        dropdown("lineBreak", "End with a line break", YES_NO, value=True, visible_if={"mode": "append"}),
        _encoding(),
    ),
    file_arguments=("path",),
    supports_connections=False,
    on_interrupted=_replaces,
    run=run_write,
)

_TARGET = _path("target", "New path", "The full path with the new name. Missing folders are created.")
_REPLACE = dropdown("replace", "Replace an existing file", YES_NO, value=False)

move_file = Action(
    key="moveFile",
    name="Move or rename file",
    description="Moves a file to another folder, or gives it another name.",
    keywords=("rename", "archive", "sort"),
    arguments=(_path(), _TARGET, _REPLACE),
    file_arguments=("path", "target"),
    supports_connections=False,
    run=run_move,
)

copy_file = Action(
    key="copyFile",
    name="Copy file",
    description="Copies a file of up to 1 GB.",
    keywords=("duplicate", "backup"),
    arguments=(_path(), _TARGET, _REPLACE),
    file_arguments=("path", "target"),
    supports_connections=False,
    on_interrupted=_replaces,
    run=run_copy,
)

delete_file = Action(
    key="deleteFile",
    name="Delete file",
    description="Moves a file to the trash folder, or deletes it permanently.",
    keywords=("remove", "trash", "erase"),
    arguments=(
        _path(),
        dropdown(
            "how",
            "Delete",
            (("trash", "Move to the trash folder"), ("permanently", "Permanently")),
            value="trash",
            required=True,
            description="The trash is the hidden folder .patchbay-trash in the allowed folder. You empty it.",
        ),
    ),
    file_arguments=("path",),
    supports_connections=False,
    run=run_delete,
)

list_folder = Action(
    key="listFolder",
    name="List folder",
    description="Returns the files in a folder, for a loop.",
    keywords=("directory", "find", "search", "files"),
    arguments=(
        text("folder", "Folder", required=True, placeholder="/srv/files", description=_HINT),
        text("pattern", "Name pattern", placeholder="*.csv", description="Such as *.csv, *.txt. Empty: all."),
        dropdown("subfolders", "Include sub-folders", YES_NO, value=False),
        dropdown("includeFolders", "Return folders, too", YES_NO, value=False),
        dropdown("order", "Order", (("name", "By name"), ("newest", "Newest first")), value="name"),
        text("limit", "Max. files", value=str(_LISTED), description=f"Up to {_MAX_LISTED:,}."),
    ),
    file_arguments=("folder",),
    supports_connections=False,
    on_interrupted=OnInterrupted.REPEAT,
    run=run_list,
)

ACTIONS = (read_file, write_file, move_file, copy_file, delete_file, list_folder)
