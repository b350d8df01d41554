"""Triggers for what happens on the desktop: a start of Patchbay, sleep, the network, and the clipboard."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from datetime import UTC, datetime

from patchbay.domain.base import EpochMs, JsonObject
from patchbay.domain.desktop import DesktopEventKind
from patchbay.integration import Argument, Context, Trigger, dropdown
from patchbay.integration.values import text_of

Wanted = Callable[[JsonObject, JsonObject], bool]
"""Whether an event with this data starts a flow with these parameters."""


def _event_trigger(
    kind: DesktopEventKind,
    key: str,
    name: str,
    description: str,
    sample: JsonObject,
    *,
    keywords: tuple[str, ...] = (),
    arguments: tuple[Argument, ...] = (),
    wanted: Wanted = lambda parameters, data: True,
) -> Trigger:
    """The trigger for events of a kind. `sample` is what a test shows while there was none."""

    async def run(ctx: Context) -> None:
        await ctx.desktop.require_support(kind)
        events = [event for event in ctx.desktop.events(kind) if wanted(ctx.parameters, event.data)]
        for event in events:
            ctx.push_trigger_item({"at": _iso(event.at), **event.data}, event.id)
        if ctx.execution.test_run and not events:
            ctx.push_trigger_item({"at": _iso(ctx.now), **sample}, "sample")

    async def watch(ctx: Context) -> AsyncGenerator[None, None]:
        async with aclosing(ctx.desktop.watch(kind)) as signals:
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


def _changes_for(parameters: JsonObject, data: JsonObject) -> bool:
    which = text_of(parameters, "changes")
    return which not in ("online", "offline") or data.get("isOnline") is (which == "online")


TRIGGERS = (
    _event_trigger(
        DesktopEventKind.STARTED,
        "patchbayStarted",
        "Patchbay started",
        "Starts once each time the Patchbay window is started, such as at login.",
        {"inBackground": False},
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
        {"sleptSeconds": 3600},
        keywords=("sleep", "resume", "suspend", "wake", "hibernate"),
    ),
    _event_trigger(
        DesktopEventKind.NETWORK_CHANGED,
        "networkChanged",
        "Network changed",
        "Starts when this computer gets or loses its network connection.",
        {"isOnline": True, "reachability": "online"},
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
        {"text": "A copied text"},
        keywords=("copy", "copied", "paste"),
    ),
)
