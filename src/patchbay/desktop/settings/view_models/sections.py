"""The titles of the sections of the settings."""

from patchbay.desktop.core.language import tr

SECTION_LABELS = {
    "General": tr("General", "section of the settings"),
    "Appearance": tr("Appearance", "section of the settings"),
    "Language and formats": tr("Language and formats", "section of the settings"),
    "Engine": tr("Engine", "section of the settings"),
    "Notifications": tr("Notifications", "section of the settings"),
    "Connections": tr("Connections", "section of the settings"),
    "Secrets": tr("Secrets", "section of the settings"),
    "Server": tr("Server", "section of the settings"),
    "People": tr("People", "section of the settings"),
    "API keys": tr("API keys", "section of the settings"),
    "Audit log": tr("Audit log", "section of the settings"),
    "Data": tr("Data", "section of the settings"),
    "About": tr("About", "section of the settings"),
}
"""The shown titles, by those that open a section, such as `open_settings("Secrets")`."""
