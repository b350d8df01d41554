"""The desktop of the person who has the window open, as steps and triggers use it.

The window implements `Desktop`. Programs without a window, such as a server, have none.
"""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from patchbay.domain.base import EpochMs, Json, JsonObject
from patchbay.domain.errors import NotSupported
from patchbay.domain.executions import Execution, ExecutionState, StepRef

MAX_BUTTONS = 3
MAX_FIELDS = 20
MAX_OPTIONS = 100
MAX_TITLE_LENGTH = 200
MAX_FLOW_NAME_LENGTH = 60
"""Characters of the flow's name that forms and notifications show."""
MAX_TEXT_LENGTH = 2_000
MAX_ENTERED_LENGTH = 20_000
"""Characters that can be entered in one field."""
MAX_CLIPBOARD_LENGTH = 1_000_000
MAX_ADDRESS_LENGTH = 2_000
MAX_WAITING_FORMS = 10
"""Forms and notifications that wait for the person at a time. Each occupies a run."""


ASKING_EVENTS = frozenset({("desktop", "askMe"), ("desktop", "showNotification")})
"""App and key of the actions that wait for the person at the computer."""

COPIED_TEXT_EVENTS = frozenset({("desktop", "clipboardChanged"), ("desktop", "readClipboard")})
"""App and key of the trigger and the action whose output is the text on the clipboard."""


def waits_for_input(execution: Execution, running_step: StepRef | None = None) -> bool:
    """Whether the step that runs now waits for the person at the computer.

    Without `running_step`, it follows from the number of finished steps, or is False if the flow has branches
    or loops: only the results of their steps say which one runs.
    """
    if execution.state is not ExecutionState.RUNNING:
        return False
    step = running_step
    if step is None and not any(each.structural_type.is_container for each in execution.flow.steps):
        position = (execution.steps_done or 0) + 1
        step = next((each for each in execution.flow.steps if each.position == position), None)
    return step is not None and (step.app_key, step.key) in ASKING_EVENTS


class FieldKind(StrEnum):
    """What can be entered in a field of a form."""

    TEXT = "text"
    NUMBER = "number"
    CHOICE = "choice"
    YES_NO = "yesNo"


@dataclass(frozen=True, slots=True)
class DesktopFormField:
    """A field of a form. `key` is its name in the response."""

    key: str
    label: str
    kind: FieldKind = FieldKind.TEXT
    is_required: bool = False
    help: str = ""
    options: tuple[str, ...] = ()
    value: str = ""
    """What is entered at first."""


@dataclass(frozen=True, slots=True)
class DesktopForm:
    """A small form that the person at this computer fills in."""

    title: str
    text: str = ""
    fields: tuple[DesktopFormField, ...] = ()
    submit_label: str = ""
    flow_name: str = ""


@dataclass(frozen=True, slots=True)
class Notification:
    """A notification of the desktop, with the labels of its buttons."""

    title: str
    text: str = ""
    buttons: tuple[str, ...] = ()
    flow_name: str = ""


@dataclass(frozen=True, slots=True)
class ClipboardText:
    """The text on the clipboard. `is_secret`: a password manager marked it, so `text` is empty."""

    text: str = ""
    is_secret: bool = False


class DesktopEventKind(StrEnum):
    """What happens on the desktop that can start a flow."""

    STARTED = "started"
    WOKE_UP = "wokeUp"
    NETWORK_CHANGED = "networkChanged"
    CLIPBOARD_CHANGED = "clipboardChanged"
    HOT_KEY_PRESSED = "hotKeyPressed"
    """Its detail is the combination, as `HotKey.text` writes it."""


@dataclass(frozen=True, slots=True)
class DesktopEvent:
    """Something that happened on the desktop. `id` differs between all events, also after a restart."""

    id: str
    at: EpochMs
    data: JsonObject = field(default_factory=dict)


class Desktop(Protocol):
    """The desktop of the window. All methods belong to the event loop, and raise `AppError`s."""

    async def show_notification(self, notification: Notification) -> str | None:
        """Show a notification. With buttons, wait for one; returns its label, None if it was closed.

        Cancelling this closes the notification. Raises `NotSupported` if the desktop can't show buttons.
        """
        ...

    async def show_form(self, form: DesktopForm) -> dict[str, Json] | None:
        """Show a form, and wait for the values by key; None if the person closed it.

        Cancelling this closes the form.
        """
        ...

    async def copy_text(self, text: str) -> None:
        """Replace what is on the clipboard."""
        ...

    async def read_clipboard(self) -> ClipboardText:
        """The text on the clipboard."""
        ...

    async def open_address(self, address: str) -> None:
        """Open a checked address with the program that the person chose for it."""
        ...

    async def take_screenshot(self) -> bytes:
        """A picture of all screens, as a PNG file."""
        ...

    def events(self, kind: DesktopEventKind, detail: str = "") -> Sequence[DesktopEvent]:
        """The latest events, newest first. `detail` distinguishes events of one kind, such as hot keys."""
        ...

    async def require_support(self, kind: DesktopEventKind) -> None:
        """Raise `NotSupported` if events of this kind can't be noticed on this system."""
        ...

    def watch(self, kind: DesktopEventKind, detail: str = "") -> AsyncGenerator[None, None]:
        """Yield once when listening begins, and then after each event.

        Raises as `require_support`, and other `AppError`s if listening fails, such as for a hot key that
        belongs to another program.
        """
        ...

    def interrupt(self) -> None:
        """Cancel everything that waits for the person, because the engine stops."""
        ...


def no_desktop_error() -> NotSupported:
    """The error for steps that run in a program without a window."""
    return NotSupported(
        "This step needs the desktop, and the program that runs the flows has no window.",
        meaning="A server and its workers have no clipboard, notifications, or screen. Nothing was done.",
        todo="Run the flow on “This computer” in the Patchbay window, while no “patchbay serve” runs it.",
        feature="desktop",
    )
