"""The search of the settings: what can be set where, and other words for it."""

from dataclasses import dataclass

from patchbay.desktop.core.language import tr
from patchbay.desktop.settings.view_models.sections import SECTION_LABELS


@dataclass(frozen=True)
class SettingEntry:
    """A setting or command: its page, the accessible name of its control, its effect, and synonyms."""

    page: str
    label: str
    effect: str
    synonyms: str = ""
    depends_on: str = ""
    """The label of the setting that shows or enables this one."""

    @property
    def page_label(self) -> str:
        """The shown title of the page."""
        return SECTION_LABELS[self.page]


_NO_MATCH = 9
_SCHEDULE = tr("Back up automatically")

ENTRIES = (
    SettingEntry("General", tr("When the window is closed"),
                 tr("Keep flows running in the background, or quit."),
                 tr("exit minimise tray close button")),
    SettingEntry("General", tr("Start at login"),
                 tr("Run published flows when you sign in to this computer."),
                 tr("autostart boot launch startup log in")),
    SettingEntry("Appearance", tr("Colours"), tr("Light, dark, or as the system."),
                 tr("theme dark mode night light scheme colors")),
    SettingEntry("Appearance", tr("Font"), tr("The font of the window."),
                 tr("typeface text letters inter")),
    SettingEntry("Language and formats", tr("Language"), tr("The language of the window."),
                 tr("translation german english deutsch locale")),
    SettingEntry("Language and formats", tr("Formats"), tr("Dates, numbers, and the first day of the week."),
                 tr("locale region date time number clock 24 hours week monday sunday")),
    SettingEntry("Engine", tr("Max. runs at a time"), tr("Further runs are queued."),
                 tr("concurrency parallel simultaneous workers limit")),
    SettingEntry("Engine", tr("Max. executions to keep"), tr("The oldest are deleted first."),
                 tr("retention history size delete")),
    SettingEntry("Engine", tr("Keep successes for"), tr("Older successes are deleted."),
                 tr("retention history days delete old executions")),
    SettingEntry("Engine", tr("Keep failures for"), tr("Older failures are deleted."),
                 tr("retention history days delete old executions errors")),
    SettingEntry("Engine", tr("Max. runs from one start"),
                 tr("Stops flows that trigger each other endlessly."),
                 tr("recursion loop chain limit")),
    SettingEntry("Engine", tr("Max. items per loop"), tr("Loops over longer lists fail."),
                 tr("for each iteration limit")),
    SettingEntry("Engine", tr("Max. webhook body"), tr("Larger requests are rejected."),
                 tr("payload size upload request limit")),
    SettingEntry("Engine", tr("Max. wait for rate limits"), tr("The longest wait an app can ask for."),
                 tr("retry after 429 throttle")),
    SettingEntry("Engine", tr("Add rate limit…"), tr("Limit the requests to an app."),
                 tr("throttle requests per minute quota")),
    SettingEntry("Engine", tr("Programs can use the network"), tr("Code steps can reach other computers."),
                 tr("sandbox isolation internet python javascript code")),
    SettingEntry("Engine", tr("Allow program…"), tr("Steps can run it."),
                 tr("command executable script run permission")),
    SettingEntry("Engine", tr("Allow folder…"), tr("Steps can read and change its files."),
                 tr("files directory access permission")),
    SettingEntry("Engine", tr("Clean up now"), tr("Delete old executions and free disk space."),
                 tr("storage space vacuum history")),
    SettingEntry("Notifications", tr("When a flow fails"), tr("Every failure, the first one, or none."),
                 tr("alert alarm message error notify")),
    SettingEntry("Notifications", tr("Quiet hours"), tr("No notifications at these times."),
                 tr("do not disturb night silence mute sleep")),
    SettingEntry("Connections", tr("Test connections"), tr("How often credentials are tested automatically."),
                 tr("check health interval expired")),
    SettingEntry("Secrets", tr("Store credentials"), tr("In the system keyring or in the database."),
                 tr("password keyring vault key encryption token")),
    SettingEntry("Secrets", tr("Change encryption key…"), tr("Encrypt all credentials again with a new key."),
                 tr("rotate data key security")),
    SettingEntry("Server", tr("Public address"), tr("Where other services reach webhooks and sign-ins."),
                 tr("url domain hostname tunnel proxy webhook")),
    SettingEntry("Server", tr("Outgoing addresses"), tr("Which addresses flows may call."),
                 tr("firewall ssrf private network block")),
    SettingEntry("Server", tr("Invitations"), tr("How invitations are sent."),
                 tr("mail email smtp people")),
    SettingEntry("People", tr("Invite…"), tr("Let another person use this workspace."),
                 tr("invite someone user team account role permission member")),
    SettingEntry("API keys", tr("Create key…"), tr("Let a script or another window sign in."),
                 tr("create api key token access rest http client")),
    SettingEntry("Audit log", tr("Open the audit log"), tr("Who changed what."),
                 tr("activity history changes security")),
    SettingEntry("Data", _SCHEDULE, tr("Encrypted backups on a schedule."),
                 tr("schedule automatic daily weekly save copy")),
    SettingEntry("Data", tr("Backups to keep"), tr("Older ones are deleted."),
                 tr("retention number delete old"), depends_on=_SCHEDULE),
    SettingEntry("Data", tr("Choose folder…"), tr("Where backups are stored."),
                 tr("backup location directory disk"), depends_on=_SCHEDULE),
    SettingEntry("Data", tr("Back up now"), tr("Back up immediately."),
                 tr("export save copy"), depends_on=_SCHEDULE),
    SettingEntry("Data", tr("Restore a backup…"), tr("Replace the workspace with a backup."),
                 tr("import recover undo")),
    SettingEntry("Data", tr("Check database"), tr("Look for damage, and repair it."),
                 tr("integrity corrupt repair fix")),
    SettingEntry("Data", tr("Show log"), tr("Read and copy what the program logged."),
                 tr("debug messages trace support")),
    SettingEntry("About", tr("Copy versions"), tr("The version of Patchbay and its libraries."),
                 tr("licence license release update")),
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
    prominent = (label, f"{label} {entry.page_label} {entry.synonyms}".casefold())
    for rank, text in enumerate((*prominent, f"{prominent[-1]} {entry.effect.casefold()}"), start=1):
        if all(word in text for word in words):
            return rank
    return _NO_MATCH
