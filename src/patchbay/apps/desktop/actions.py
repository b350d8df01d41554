"""Actions that use the clipboard, the screen, and the programs that open pages and files."""

from pathlib import Path

from patchbay.domain.desktop import MAX_CLIPBOARD_LENGTH
from patchbay.integration import Action, Context, OnInterrupted, dropdown, text
from patchbay.integration.local_files import WriteMode
from patchbay.integration.values import parameter_error, text_of

from .addresses import checked_address

# fmt: off
_DOCUMENTS = frozenset((
    "txt", "log", "md", "csv", "tsv", "json", "xml", "yaml", "yml", "pdf", "rtf", "html", "htm", "epub",
    "odt", "ods", "odp", "docx", "xlsx", "pptx", "ics", "vcf", "eml",
    "png", "jpg", "jpeg", "gif", "webp", "bmp", "tif", "tiff", "svg", "heic",
    "mp3", "ogg", "oga", "opus", "flac", "wav", "m4a", "mp4", "m4v", "mov", "mkv", "webm", "avi",
    "zip", "tar", "gz", "7z",
))
"""Extensions of files that programs show. All others could be programs, or start some."""
# fmt: on


async def run_copy(ctx: Context) -> None:
    """Copy a text to the clipboard."""
    copied = text_of(ctx.parameters, "text")
    if len(copied) > MAX_CLIPBOARD_LENGTH:
        message = f"The text is longer than {MAX_CLIPBOARD_LENGTH:,} characters."
        raise parameter_error("text", message, "Write it to a file instead.")
    await ctx.desktop.copy_text(copied)
    ctx.set_action_item({"characters": len(copied)})


async def run_read_clipboard(ctx: Context) -> None:
    """Read the text on the clipboard."""
    found = await ctx.desktop.read_clipboard()
    if found.is_secret:
        ctx.warnings.append("A password manager marked the text on the clipboard as secret: it wasn't read.")
    ctx.set_action_item({"text": found.text, "isSecret": found.is_secret})


async def run_open_page(ctx: Context) -> None:
    """Open a web page, or a new email."""
    address = checked_address(text_of(ctx.parameters, "address").strip())
    await ctx.desktop.open_address(address)
    ctx.set_action_item({"address": address})


async def run_open_file(ctx: Context) -> None:
    """Open a file with the program that the person chose for its type."""
    path = ctx.files.path(text_of(ctx.parameters, "path"))
    extension = path.name.rpartition(".")[2].lower()
    if "." not in path.name or extension not in _DOCUMENTS:
        raise parameter_error(
            "path",
            f"Files such as “{path.name[:100]}” aren't opened: they could be programs, or start some.",
            "Choose a document, picture, sound, video, or archive.",
        )
    entry = await ctx.files.find(path)
    await ctx.desktop.open_address(Path(str(path)).as_uri())
    ctx.set_action_item(entry.wire())


async def run_screenshot(ctx: Context) -> None:
    """Take a screenshot, and write it to a file."""
    path = ctx.files.path(text_of(ctx.parameters, "path"))
    if not path.name.lower().endswith(".png"):
        raise parameter_error("path", "The name of the file doesn't end with .png.")
    mode = WriteMode.REPLACE if text_of(ctx.parameters, "mode") == "replace" else WriteMode.CREATE
    picture = await ctx.desktop.take_screenshot()
    entry = await ctx.files.write(path, picture, mode)
    ctx.set_action_item(entry.wire())


_FILE_HINT = "Its full path. An admin allows folders in Settings → Engine."

ACTIONS = (
    Action(
        key="copyToClipboard",
        name="Copy to clipboard",
        description="Replaces what is on the clipboard of this computer with a text.",
        keywords=("paste", "text"),
        arguments=(text("text", "Text", required=True, multiline=True),),
        uses_desktop=True,
        supports_connections=False,
        on_interrupted=OnInterrupted.REPEAT,
        run=run_copy,
    ),
    Action(
        key="readClipboard",
        name="Read clipboard",
        description="Outputs the text on the clipboard of this computer, unless it is marked as secret.",
        keywords=("paste", "text", "copied"),
        uses_desktop=True,
        supports_connections=False,
        on_interrupted=OnInterrupted.REPEAT,
        run=run_read_clipboard,
    ),
    Action(
        key="openPage",
        name="Open page",
        description="Opens a web page or a new email on this computer.",
        keywords=("browser", "website", "link", "url", "mailto", "email"),
        arguments=(
            text(
                "address",
                "Address",
                required=True,
                placeholder="https://www.example.com/orders",
                description="Begins with https://, http://, or mailto:.",
            ),
        ),
        uses_desktop=True,
        supports_connections=False,
        run=run_open_page,
    ),
    Action(
        key="openFile",
        name="Open file",
        description="Opens a document, picture, sound, video, or archive on this computer.",
        keywords=("show", "document", "picture", "view"),
        arguments=(
            text(
                "path",
                "File",
                required=True,
                placeholder="/srv/files/report.pdf",
                description=_FILE_HINT,
            ),
        ),
        file_arguments=("path",),
        uses_desktop=True,
        supports_connections=False,
        run=run_open_file,
    ),
    Action(
        key="takeScreenshot",
        name="Take screenshot",
        description="Writes a picture of all screens to a file.",
        keywords=("screen", "picture", "capture", "png"),
        arguments=(
            text(
                "path",
                "File",
                required=True,
                placeholder="/srv/files/screen.png",
                description=_FILE_HINT,
            ),
            dropdown(
                "mode",
                "If the file exists",
                (("create", "Fail"), ("replace", "Replace it")),
                value="create",
                required=True,
            ),
        ),
        file_arguments=("path",),
        uses_desktop=True,
        supports_connections=False,
        run=run_screenshot,
    ),
)
