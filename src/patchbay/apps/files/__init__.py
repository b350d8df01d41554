"""Files: files of the computer that runs the flows, below the folders that an admin allows."""

from patchbay.integration import App

from .actions import ACTIONS
from .triggers import new_or_changed_file

app = App(
    name="Files",
    key="files",
    primary_color="#B45309",
    description="Start a flow when a file is added or changed, and read, write, move, and delete files.",
    category="Files",
    keywords=("folder", "directory", "disk", "network drive", "local", "directory watch"),
    triggers=[new_or_changed_file],
    actions=[*ACTIONS],
)
