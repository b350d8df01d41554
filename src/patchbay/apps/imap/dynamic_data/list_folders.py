"""The list of mail folders to choose from."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from patchbay.integration import Context, DynamicData, Option

from ..folders import INBOX
from ..session import run_signed_in

if TYPE_CHECKING:
    from imapclient import IMAPClient


async def load(ctx: Context) -> Sequence[Option]:
    """The folders of the mailbox that can hold messages, the inbox first."""
    names = await run_signed_in(ctx, _names)
    ordered = sorted(names, key=lambda name: (name.upper() != INBOX, name.casefold()))
    return [Option(label=name, value=name) for name in ordered]


def _names(client: "IMAPClient") -> list[str]:
    folders = client.list_folders()
    return [str(name) for flags, _, name in folders if b"\\Noselect" not in flags]


list_folders = DynamicData(key="listFolders", load=load)
