"""Programs: runs installed programs on this computer that an admin allows."""

from patchbay.integration import App

from .actions import list_programs, run_program

app = App(
    name="Programs",
    key="programs",
    primary_color="#3F6212",
    description="Run installed programs on this computer that an admin allows.",
    category="Built in",
    keywords=("command", "command line", "script", "process", "executable", "terminal"),
    actions=[run_program],
    dynamic_data=[list_programs],
)
