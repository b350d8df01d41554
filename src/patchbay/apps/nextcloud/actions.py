"""Actions."""

import re

from patchbay.integration import YES_NO, Action, Context, OnInterrupted, Response, dropdown, text
from patchbay.integration.files import File, FileArgument
from patchbay.integration.values import as_bool, parameter_error, text_of

from .dav import address, path_parts

_FILE = FileArgument("file")
_EXISTS, _CREATED = 405, 201
_NUMBER = re.compile(r"0*(\d+)", re.ASCII)


async def run(ctx: Context) -> None:
    """Upload the file, after the folders on the way to it if they should be created."""
    file = _file(ctx)
    parts = path_parts(text_of(ctx.parameters, "folder"), "folder")
    if as_bool(ctx.parameters.get("createFolders")):
        for count in range(1, len(parts) + 1):
            # 405: the folder exists.
            await ctx.http.request(
                "MKCOL", address(ctx, parts[:count]), accepts=lambda status: status == _EXISTS
            )
    headers = {"Content-Type": file.content_type}
    if not as_bool(ctx.parameters.get("overwrite")):
        headers["If-None-Match"] = "*"
    path = [*parts, file.name]
    response = await ctx.http.request("PUT", address(ctx, path), content=file.content, headers=headers)
    ctx.set_action_item(
        {
            "id": _file_id(response),
            "path": "/" + "/".join(path),
            "etag": response.headers.get("etag", "").strip('"'),
            "created": response.status == _CREATED,
        }
    )


def _file_id(response: Response) -> str:
    """The file's ID as in folders: the header has it with leading zeros and the ID of the instance."""
    found = _NUMBER.match(response.headers.get("oc-fileid", ""))
    return found[1] if found else ""


def _file(ctx: Context) -> File:
    name = text_of(ctx.parameters, "fileName")
    is_base64 = ctx.parameters.get("encoding") == "base64"
    files = list(_FILE.files(ctx.parameters.get("file"), name=name, is_base64=is_base64))
    if len(files) != 1:
        message = "Choose one file." if files else "Choose a file."
        raise parameter_error("file", message, "Use a loop to upload several files.")
    return files[0]


upload_file = Action(
    key="uploadFile",
    name="Upload file",
    description="Uploads a file to a folder.",
    arguments=(
        dropdown(
            "folder",
            "Folder",
            source="listFolders",
            required=True,
            variables=True,
            description="A path such as /Invoices/2026. / is the top folder.",
        ),
        text(
            "file", "File", required=True, multiline=True, description="A file of an earlier step, or text."
        ),
        dropdown(
            "encoding",
            "Text is",
            (("text", "Text"), ("base64", "Base64")),
            value="text",
            description="Base64 is decoded. Files of earlier steps are uploaded as they are.",
        ),
        text(
            "fileName",
            "File name",
            placeholder="report.csv",
            description="Leave empty for the name of the file.",
        ),
        dropdown(
            "overwrite",
            "Replace an existing file",
            YES_NO,
            value=False,
            description="No: the step fails if the folder has a file with this name.",
        ),
        dropdown("createFolders", "Create missing folders", YES_NO, value=False),
    ),
    run=run,
    on_interrupted=lambda parameters: (
        OnInterrupted.REPEAT if as_bool(parameters.get("overwrite")) else OnInterrupted.ASK
    ),
)
