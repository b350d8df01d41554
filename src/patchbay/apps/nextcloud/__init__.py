"""Nextcloud, files on your own server. WebDAV (RFC 4918) with an app password."""

from patchbay.integration import App, basic_auth, fixed_headers

from .actions import upload_file
from .auth import auth
from .dynamic_data import list_folders
from .triggers import new_file

app = App(
    name="Nextcloud",
    key="nextcloud",
    supports_connections=True,
    base_url="https://nextcloud.com",
    api_base_url="{auth.instanceUrl}",
    primary_color="#0082C9",
    description="Start a flow for new files in a folder, and upload files.",
    category="Files",
    keywords=("cloud", "storage", "WebDAV"),
    auth=auth,
    # Without it, Nextcloud rejects requests to its OCS API as forged.
    before_request=[basic_auth(), fixed_headers({"OCS-APIRequest": "true"})],
    triggers=[new_file],
    actions=[upload_file],
    dynamic_data=[list_folders],
)
