"""The search of the settings: what can be set where, and other words for it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class SettingEntry:
    """A setting or command: its page, the accessible name of its control, its effect, and synonyms."""

    page: str
    label: str
    effect: str
    synonyms: str = ""


_NO_MATCH = 9

ENTRIES = (
    SettingEntry("General", "When the window is closed", "Keep flows running in the background, or quit.",
                 "exit minimise tray close button"),
    SettingEntry("General", "Start at login", "Run published flows when you sign in to this computer.",
                 "autostart boot launch startup log in"),
    SettingEntry("Appearance", "Colours", "Light, dark, or as the system.",
                 "theme dark mode night light scheme colors"),
    SettingEntry("Appearance", "Font", "The font of the window.", "typeface text letters inter"),
    SettingEntry("Language and formats", "Language", "The language of the window.",
                 "translation german english deutsch locale"),
    SettingEntry("Language and formats", "Formats", "Dates, numbers, and the first day of the week.",
                 "locale region date time number clock 24 hours week monday sunday"),
    SettingEntry("Engine", "Max. runs at a time", "Further runs are queued.",
                 "concurrency parallel simultaneous workers limit"),
    SettingEntry("Engine", "Max. executions to keep", "The oldest are deleted first.",
                 "retention history size delete"),
    SettingEntry("Engine", "Keep successes for", "Older successes are deleted.",
                 "retention history days delete old executions"),
    SettingEntry("Engine", "Keep failures for", "Older failures are deleted.",
                 "retention history days delete old executions errors"),
    SettingEntry("Engine", "Max. runs from one start", "Stops flows that trigger each other endlessly.",
                 "recursion loop chain limit"),
    SettingEntry("Engine", "Max. items per loop", "Loops over longer lists fail.",
                 "for each iteration limit"),
    SettingEntry("Engine", "Max. webhook body", "Larger requests are rejected.",
                 "payload size upload request limit"),
    SettingEntry("Engine", "Max. wait for rate limits", "The longest wait an app can ask for.",
                 "retry after 429 throttle"),
    SettingEntry("Engine", "Add rate limit…", "Limit the requests to an app.",
                 "throttle requests per minute quota"),
    SettingEntry("Engine", "Programs can use the network", "Code steps can reach other computers.",
                 "sandbox isolation internet python javascript code"),
    SettingEntry("Engine", "Allow folder…", "Steps can read and change its files.",
                 "files directory access permission"),
    SettingEntry("Engine", "Clean up now", "Delete old executions and free disk space.",
                 "storage space vacuum history"),
    SettingEntry("Notifications", "When a flow fails", "Every failure, the first one, or none.",
                 "alert alarm message error notify"),
    SettingEntry("Notifications", "Quiet hours", "No notifications at these times.",
                 "do not disturb night silence mute sleep"),
    SettingEntry("Connections", "Test connections", "How often credentials are tested automatically.",
                 "check health interval expired"),
    SettingEntry("Secrets", "Store credentials", "In the system keyring or in the database.",
                 "password keyring vault key encryption token"),
    SettingEntry("Secrets", "Change encryption key…", "Encrypt all credentials again with a new key.",
                 "rotate data key security"),
    SettingEntry("Server", "Public address", "Where other services reach webhooks and sign-ins.",
                 "url domain hostname tunnel proxy webhook"),
    SettingEntry("Server", "Outgoing addresses", "Which addresses flows may call.",
                 "firewall ssrf private network block"),
    SettingEntry("Server", "Invitations", "How invitations are sent.", "mail email smtp people"),
    SettingEntry("People", "Invite…", "Let another person use this workspace.",
                 "invite someone user team account role permission member"),
    SettingEntry("API keys", "Create key…", "Let a script or another window sign in.",
                 "create api key token access rest http client"),
    SettingEntry("Audit log", "Open the audit log", "Who changed what.", "activity history changes security"),
    SettingEntry("Data", "Make a backup", "Encrypted backups on a schedule.",
                 "schedule automatic daily weekly save copy"),
    SettingEntry("Data", "Backups to keep", "Older ones are deleted.", "retention number delete old"),
    SettingEntry("Data", "Choose folder…", "Where backups are stored.", "backup location directory disk"),
    SettingEntry("Data", "Back up now", "Make a backup at once.", "export save copy"),
    SettingEntry("Data", "Restore a backup…", "Replace the workspace with a backup.", "import recover undo"),
    SettingEntry("Data", "Check database", "Look for damage, and repair it.", "integrity corrupt repair fix"),
    SettingEntry("Data", "Show log", "Read and copy what the program logged.",
                 "debug messages trace support"),
    SettingEntry("About", "Copy versions", "The version of Patchbay and its libraries.",
                 "licence license release update"),
)  # fmt: skip
"""All that can be found, in the order of the pages."""


def find_settings(query: str) -> tuple[SettingEntry, ...]:
    """The entries that contain all words of the query; matches of the label come first."""
    words = query.casefold().split()
    if not words:
        return ()
    ranked = [(_rank(entry, words), number) for number, entry in enumerate(ENTRIES)]
    return tuple(ENTRIES[number] for rank, number in sorted(ranked) if rank < _NO_MATCH)


def _rank(entry: SettingEntry, words: list[str]) -> int:
    """0 if the label begins with the query; higher the less prominent the match is; `_NO_MATCH` for none."""
    label = entry.label.casefold()
    if label.startswith(" ".join(words)):
        return 0
    prominent = (label, f"{label} {entry.page} {entry.synonyms}".casefold())
    for rank, text in enumerate((*prominent, f"{prominent[-1]} {entry.effect.casefold()}"), start=1):
        if all(word in text for word in words):
            return rank
    return _NO_MATCH
