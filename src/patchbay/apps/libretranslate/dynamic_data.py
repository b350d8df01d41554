"""Languages for dropdowns."""

from patchbay.integration import option_list

list_languages = option_list("listLanguages", "/languages", value="{code}")
