"""Actions."""

import json

from patchbay.domain.base import JsonObject
from patchbay.integration import YES_NO, Action, Context, dropdown, request_action, text
from patchbay.integration.values import as_bool, parameter_error, text_of

from .paths import path_of

_NO_YES = YES_NO[::-1]
_PARENT = text(
    "parentFolder",
    "Parent folder",
    required=True,
    placeholder="/Invoices",
    description="The path of an existing folder. For the top folder, enter /.",
)


def _folder(parameters: JsonObject) -> JsonObject:
    return {
        "path": path_of(parameters.get("parentFolder"), parameters.get("folderName")),
        "autorename": as_bool(parameters.get("autorename")),
    }


create_folder = request_action(
    key="createFolder",
    name="Create folder",
    description="Creates a folder in another folder.",
    arguments=(
        _PARENT,
        text("folderName", "Name", required=True),
        dropdown(
            "autorename",
            "Rename if it exists",
            _NO_YES,
            description="Yes: a number is added to the name. No: the step fails.",
        ),
    ),
    request="POST /2/files/create_folder_v2",
    body=_folder,
)


async def _upload(ctx: Context) -> None:
    """Upload the text, with the options in a header."""
    parameters = ctx.parameters
    name = text_of(parameters, "fileName").strip().removesuffix(".txt")
    overwrites = as_bool(parameters.get("overwrite"))
    options = {
        "path": path_of(parameters.get("parentFolder"), f"{name}.txt"),
        "mode": "overwrite" if overwrites else "add",
        "autorename": not overwrites,
        "mute": False,
        "strict_conflict": False,
    }
    response = await ctx.http.post(
        "https://content.dropboxapi.com/2/files/upload",
        content=text_of(parameters, "fileContent").encode(),
        headers={"Content-Type": "application/octet-stream", "Dropbox-API-Arg": json.dumps(options)},
    )
    ctx.set_action_item(response.json())


create_text_file = Action(
    key="createTextFile",
    name="Create text file",
    description="Creates a file of plain text, with the extension .txt.",
    arguments=(
        _PARENT,
        text("fileName", "Name", required=True, description="Without the extension."),
        text("fileContent", "Content", required=True, multiline=True),
        dropdown(
            "overwrite",
            "Overwrite",
            _NO_YES,
            required=True,
            value=False,
            description="No: if a file has the name, a number is added.",
        ),
    ),
    run=_upload,
)


async def _rename(ctx: Context) -> None:
    """Move the file to another name in the same folder."""
    source = path_of(ctx.parameters.get("filePath"))
    if not source.startswith("/"):
        raise parameter_error(
            "filePath", "Enter the path of the file.", "Use a path such as /Invoices/1.pdf."
        )
    folder = source.rpartition("/")[0]
    target = path_of(folder, ctx.parameters.get("newName"))
    response = await ctx.http.post("/2/files/move_v2", json={"from_path": source, "to_path": target})
    ctx.set_action_item(response.json()["metadata"])


rename_file = Action(
    key="renameFile",
    name="Rename file",
    description="Gives a file another name in the same folder.",
    arguments=(
        text("filePath", "File", required=True, placeholder="/Invoices/1.pdf"),
        text("newName", "New name", required=True, description="With the extension, such as 2.pdf."),
    ),
    run=_rename,
)
