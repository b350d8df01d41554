"""Triggers for what happens on the desktop: a start, sleep, the network, the clipboard, and hot keys."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from datetime import UTC, datetime

from patchbay.domain.base import EpochMs, JsonObject
from patchbay.domain.desktop import DesktopEventKind
from patchbay.domain.hot_keys import parse_hot_key
from patchbay.integration import Argument, Context, Trigger, dropdown, text
from patchbay.integration.values import text_of

Wanted = Callable[[JsonObject, JsonObject], bool]
"""Whether an event with this data starts a flow with these parameters."""


def _event_trigger(
    kind: DesktopEventKind,
    key: str,
    name: str,
    description: str,
    sample: Callable[[JsonObject], JsonObject],
    *,
    keywords: tuple[str, ...] = (),
    arguments: tuple[Argument, ...] = (),
    wanted: Wanted = lambda parameters, data: True,
    detail_of: Callable[[JsonObject], str] = lambda parameters: "",
) -> Trigger:
    """The trigger for events of a kind. `sample` is what a test shows while there was none.

    `detail_of` returns which events of the kind a flow with these parameters waits for. Raises
    `ValidationFailed` for invalid ones.
    """

    async def run(ctx: Context) -> None:
        detail = detail_of(ctx.parameters)
        await ctx.desktop.require_support(kind)
        happened = ctx.desktop.events(kind, detail)
        events = [event for event in happened if wanted(ctx.parameters, event.data)]
        for event in events:
            ctx.push_trigger_item({"at": _iso(event.at), **event.data}, event.id)
        if ctx.execution.test_run and not events:
            ctx.push_trigger_item({"at": _iso(ctx.now), **sample(ctx.parameters)}, "sample")

    async def watch(ctx: Context) -> AsyncGenerator[None, None]:
        async with aclosing(ctx.desktop.watch(kind, detail_of(ctx.parameters))) as signals:
            async for _ in signals:
                yield

    return Trigger(
        key=key,
        name=name,
        description=description,
        keywords=keywords,
        arguments=arguments,
        uses_desktop=True,
        supports_connections=False,
        run=run,
        watch=watch,
    )


def _iso(at: EpochMs) -> str:
    moment = datetime.fromtimestamp(at / 1000, UTC)
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")


def _starts_for(parameters: JsonObject, data: JsonObject) -> bool:
    return text_of(parameters, "starts") != "background" or data.get("inBackground") is True


def _hot_key(parameters: JsonObject) -> str:
    return parse_hot_key(text_of(parameters, "keys")).text


def _changes_for(parameters: JsonObject, data: JsonObject) -> bool:
    which = text_of(parameters, "changes")
    return which not in ("online", "offline") or data.get("isOnline") is (which == "online")


TRIGGERS = (
    _event_trigger(
        DesktopEventKind.STARTED,
        "patchbayStarted",
        "Patchbay started",
        "Starts once each time the Patchbay window is started, such as at login.",
        lambda _: {"inBackground": False},
        keywords=("login", "sign in", "boot", "start", "morning"),
        arguments=(
            dropdown(
                "starts",
                "Start for",
                (("all", "Every start"), ("background", "Starts in the background, as at login")),
                value="all",
                required=True,
            ),
        ),
        wanted=_starts_for,
    ),
    _event_trigger(
        DesktopEventKind.WOKE_UP,
        "wokeUp",
        "Computer woke up",
        "Starts when this computer wakes up from sleep.",
        lambda _: {"sleptSeconds": 3600},
        keywords=("sleep", "resume", "suspend", "wake", "hibernate"),
    ),
    _event_trigger(
        DesktopEventKind.NETWORK_CHANGED,
        "networkChanged",
        "Network changed",
        "Starts when this computer gets or loses its network connection.",
        lambda _: {"isOnline": True, "reachability": "online"},
        keywords=("online", "offline", "internet", "wifi", "connection"),
        arguments=(
            dropdown(
                "changes",
                "Start for",
                (("all", "All changes"), ("online", "Going online"), ("offline", "Going offline")),
                value="all",
                required=True,
            ),
        ),
        wanted=_changes_for,
    ),
    _event_trigger(
        DesktopEventKind.CLIPBOARD_CHANGED,
        "clipboardChanged",
        "Clipboard changed",
        "Starts when a text is copied on this computer, unless it is marked as secret.",
        lambda _: {"text": "A copied text"},
        keywords=("copy", "copied", "paste"),
    ),
    _event_trigger(
        DesktopEventKind.HOT_KEY_PRESSED,
        "hotKeyPressed",
        "Hot key pressed",
        "Starts when a key combination is pressed, whatever window is active.",
        lambda parameters: {"keys": _hot_key(parameters)},
        keywords=("shortcut", "keyboard", "keys", "global", "hotkey"),
        arguments=(
            text(
                "keys",
                "Keys",
                required=True,
                placeholder="Ctrl+Alt+P",
                description="Such as Ctrl+Alt+P, Meta+Shift+1, or F9: at least one of Ctrl, Alt, and Meta "
                "with another key, or a function key. Meta is the Windows key, and Command on a Mac.",
                variables=False,
            ),
        ),
        detail_of=_hot_key,
    ),
)
