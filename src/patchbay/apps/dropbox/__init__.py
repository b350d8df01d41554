"""Dropbox, files in the cloud. API: version 2, with OAuth 2."""

from patchbay.integration import App, bearer

from .actions import create_folder, create_text_file, rename_file
from .auth import auth
from .triggers import new_files_in_folder, new_folders

app = App(
    name="Dropbox",
    key="dropbox",
    supports_connections=True,
    base_url="https://dropbox.com",
    api_base_url="https://api.dropboxapi.com",
    primary_color="#0061ff",
    description="Start a flow for new files and folders, create folders and text files, and rename files.",
    category="Files",
    keywords=("cloud storage", "upload"),
    auth=auth,
    before_request=[bearer(field="accessToken")],
    triggers=[new_files_in_folder, new_folders],
    actions=[create_folder, create_text_file, rename_file],
)
