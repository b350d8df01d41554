"""Desktop: the screen, clipboard, and notifications of the person who has the Patchbay window open."""

from patchbay.integration import App

from .actions import ACTIONS
from .notify_and_ask import ask_me, show_notification
from .triggers import TRIGGERS

app = App(
    name="Desktop",
    key="desktop",
    primary_color="#475569",
    description="Notify and ask the person at this computer, and use its clipboard and screen.",
    category="Built in",
    keywords=("notification", "dialog", "clipboard", "screenshot", "browser", "popup", "login", "sleep"),
    triggers=[*TRIGGERS],
    actions=[show_notification, ask_me, *ACTIONS],
)
