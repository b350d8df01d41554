"""Forms for dropdowns."""

from patchbay.integration import option_list
from patchbay.integration.google import DRIVE_FILES, DRIVE_PAGES, files_of_type

list_forms = option_list(
    "listForms",
    DRIVE_FILES,
    at="files",
    query={"q": files_of_type("application/vnd.google-apps.form"), "spaces": "drive"},
    pages=DRIVE_PAGES,
    absent_if_empty=True,
)
