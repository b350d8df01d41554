"""The text on the clipboard, unless a password manager marked it as secret.

On X11, reading asks the program that owns the text, and waits for it. So the window starts this module as a
program, which can be ended: `python -m patchbay.desktop.kit.clipboard` prints the text as JSON.
"""

import json
import sys

from PySide6.QtCore import QByteArray, QMimeData
from PySide6.QtGui import QGuiApplication

from patchbay.domain.desktop import MAX_CLIPBOARD_LENGTH, ClipboardText
from patchbay.domain.errors import AppError

_KDE_HINT = "x-kde-passwordManagerHint"
_SECRET_FORMATS = (
    "org.nspasteboard.ConcealedType",
    "ExcludeClipboardContentFromMonitorProcessing",
    "Clipboard Viewer Ignore",
)
"""Formats that password managers add, on macOS and on Windows. Qt adds a prefix to them."""
_HISTORY_FORMAT = "CanIncludeInClipboardHistory"
"""On Windows: a number, which is 0 for secrets."""


_MARKS = {
    _KDE_HINT: b"secret",
    "org.nspasteboard.ConcealedType": b"",
    'application/x-qt-windows-mime;value="ExcludeClipboardContentFromMonitorProcessing"': bytes(4),
    f'application/x-qt-windows-mime;value="{_HISTORY_FORMAT}"': bytes(4),
    'application/x-qt-windows-mime;value="CanUploadToCloudClipboard"': bytes(4),
}
"""Formats that mark a text as secret on Linux, macOS, and Windows."""


def secret_content(text: str) -> QMimeData:
    """A text for the clipboard, marked as secret as password managers do."""
    content = QMimeData()
    content.setText(text)
    for mime, data in _MARKS.items():
        content.setData(mime, QByteArray(data))
    return content


def text_of(content: QMimeData) -> ClipboardText:
    """The text of this content. Raises `AppError` if it is too long."""
    if is_secret(content):
        return ClipboardText(is_secret=True)
    text = content.text() if content.hasText() else ""
    if len(text) > MAX_CLIPBOARD_LENGTH:
        raise AppError(
            f"The text on the clipboard is longer than {MAX_CLIPBOARD_LENGTH:,} characters.",
            todo="Copy less text, or save it as a file and use the app Files.",
        )
    return ClipboardText(text.encode("utf-8", "replace").decode("utf-8"))


def is_secret(content: QMimeData) -> bool:
    """Whether a password manager marked this content."""
    for name in content.formats():
        if any(secret in name for secret in _SECRET_FORMATS):
            return True
        if _HISTORY_FORMAT in name and not any(content.data(name).data()):
            return True
    return content.data(_KDE_HINT).data() == b"secret"


def main() -> None:
    """Print the text on the clipboard, whether it is secret, or the error."""
    application = QGuiApplication(sys.argv[:1])
    try:
        found = text_of(application.clipboard().mimeData())
        result = {"text": found.text, "isSecret": found.is_secret}
    except AppError as error:
        result = {"happened": error.happened, "todo": error.todo}
    sys.stdout.write(json.dumps(result))


if __name__ == "__main__":
    main()
