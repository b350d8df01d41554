"""Google Drive, files. API: version 3, with OAuth 2."""

from patchbay.integration import App, bearer
from patchbay.integration.google import list_drives

from .auth import auth
from .dynamic_data import list_folders
from .triggers import new_files, new_files_in_folder, new_folders, updated_files

app = App(
    name="Google Drive",
    key="google-drive",
    supports_connections=True,
    base_url="https://drive.google.com",
    api_base_url="https://www.googleapis.com/drive",
    primary_color="#1FA463",
    description="Start a flow for new and changed files, and new folders.",
    category="Files",
    keywords=("cloud storage", "upload", "documents"),
    auth=auth,
    before_request=[bearer(field="accessToken")],
    triggers=[new_files, new_files_in_folder, new_folders, updated_files],
    dynamic_data=[list_drives, list_folders],
)
