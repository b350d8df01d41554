"""IMAP, mail as it arrives. Protocol: RFC 3501; IDLE RFC 2177, MOVE RFC 6851, UIDPLUS RFC 4315."""

from patchbay.integration import App

from .actions.mark_as_read import mark_as_read
from .actions.move_message import move_message
from .auth import auth
from .dynamic_data.list_folders import list_folders
from .triggers.new_mail import new_mail

app = App(
    name="IMAP",
    key="imap",
    supports_connections=True,
    base_url="",
    api_base_url="",
    primary_color="#0F766E",
    description="Start a flow when mail arrives, and organise a mailbox.",
    category="Email",
    keywords=("mail", "email", "inbox"),
    auth=auth,
    triggers=[new_mail],
    actions=[mark_as_read, move_message],
    dynamic_data=[list_folders],
)
