"""The folder and message that a step refers to."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from patchbay.domain.base import JsonObject
from patchbay.domain.errors import Conflict
from patchbay.integration import Argument, dropdown, text
from patchbay.integration.values import parameter_error, text_of

if TYPE_CHECKING:
    from imapclient import IMAPClient

INBOX = "INBOX"
_ID = re.compile(r"(?:(?P<validity>\d{1,10}):)?(?P<uid>\d{1,10})")


def folder_choice(
    key: str = "folder", label: str = "Folder", *, required: bool = True, value: str | None = INBOX
) -> Argument:
    """The field for a folder of the mailbox, as a list or a variable."""
    return dropdown(
        key,
        label,
        source="listFolders",
        required=required,
        value=value,
        variables=True,
        description="Choose a folder or enter its name.",
    )


def message_field() -> Argument:
    """The field for the message that an action is about."""
    return text("message", "Message", required=True, description="The message ID from New mail.")


@dataclass(frozen=True)
class MessageId:
    """A message of a folder. Its `uid` is only valid while the folder has the same `validity`."""

    uid: int
    validity: int | None = None

    @classmethod
    def entered(cls, parameters: JsonObject) -> "MessageId":
        """Parse a step's parameter: `validity:uid`, or only the UID. Raises `ValidationFailed`."""
        typed = text_of(parameters, "message").strip()
        found = _ID.fullmatch(typed)
        if found is None:
            raise parameter_error(
                "message", f"“{typed[:40]}” isn't a message ID.", "Insert the message ID from New mail."
            )
        return cls(int(found["uid"]), int(found["validity"]) if found["validity"] else None)

    def open(self, client: "IMAPClient", folder: str) -> None:
        """Open the folder for changes. Raises `Conflict` if the message isn't there."""
        validity = int(client.select_folder(folder)[b"UIDVALIDITY"])
        if self.validity not in (None, validity) or not client.search(["UID", str(self.uid)]):
            raise Conflict(
                f"The message isn't in “{folder}”.",
                meaning="It was moved or deleted, or the folder was recreated.",
                todo="Check the folder in this step.",
            )


def folder_of(parameters: JsonObject, key: str = "folder") -> str:
    """The folder in the parameters; the inbox if there is none."""
    return text_of(parameters, key).strip() or INBOX
