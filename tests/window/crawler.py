"""Operate everything that can be operated in a running window, and note what does nothing or goes wrong.

The crawler knows no screen. It reads the accessibility tree, operates each control that it hasn't operated
yet with the mouse or the keyboard, and compares what can be seen before and after. A control that appears
only after others were operated is reached again by operating those first.
"""

import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace

from tests.window.accessibility import unreadable
from tests.window.accessible import Node, Place
from tests.window.crawl_report import Report
from tests.window.driver import PatchbayWindow, Picture
from tests.window.surface import HOLDERS, OPERABLE, ROWS, Control, Key, Limits, Surface, overlap

FIELDS = frozenset({"text", "password text"})
ALREADY = {
    "page tab": "selected",
    "list item": "selected",
    "cell": "selected",
    "tree item": "selected",
    "radio button": "checked",
    "radio menu item": "checked",
}
"""Choosing what is chosen already may change nothing, by role and the state that says so."""
OF_THE_MOMENT = frozenset({"active", "focused"})
"""States that follow the focus; a change of these alone is no effect."""
BLOCKED_SECONDS = 10.0


@dataclass(slots=True)
class Moment:
    """What can be seen and heard at one moment."""

    tree: Node
    picture: Picture
    gone_outside: int
    """How many addresses the browser was given, and how often something was copied."""

    @property
    def facts(self) -> dict[str, tuple[object, ...]]:
        return {
            node.path: (node.role, node.name, node.states - OF_THE_MOMENT, node.description, node.place)
            for node in self.tree.walk()
        }


class Crawler:
    """Operates the window that `start` opens, and opens another one when that has ended or led nowhere."""

    def __init__(
        self, name: str, start: Callable[[ExitStack], PatchbayWindow], limits: Limits | None = None
    ) -> None:
        self._start, self.limits = start, limits or Limits()
        self.report = Report(name)
        self._stack = ExitStack()
        self._window: PatchbayWindow | None = None
        self._pending: dict[Key, Control] = {}
        self._known: set[Key] = set()
        self._met: set[str] = set()
        """Objects of the running window that were operated: a filter stays the same when its name changes."""
        self._complaints: Counter[str] = Counter()
        self._seen: Surface | None = None
        self._seen_in: Picture | None = None
        self._opener, self._popup = "", ""
        """What was operated when the popup in front appeared, and that popup."""

    def run(self) -> Report:
        began = time.monotonic()
        try:
            self._restart()
            while self._pending:
                in_time = time.monotonic() - began <= self.limits.seconds
                if not in_time or len(self.report.operated) >= self.limits.most:
                    break
                control = self._next()
                if not self._reach(control):
                    self._pending.pop(control.key, None)
                    self.report.unreached.append(control.words)
                    continue
                self._operate(control)
        finally:
            self._stack.close()
            self.report.unreached += [control.words for control in self._pending.values()]
            self.report.seconds = time.monotonic() - began
        return self.report

    @property
    def window(self) -> PatchbayWindow:
        assert self._window is not None
        return self._window

    # Where to go next

    def _next(self) -> Control:
        """A control that is in front now if there is one, those that take others away last."""
        here = {control.key for control in self._controls()}
        return min(
            self._pending.values(),
            key=lambda control: (control.late, control.key not in here, len(control.way)),
        )

    def _look(self) -> Surface:
        """What is in front; read again only when the picture has changed."""
        picture = self.window.picture()
        if self._seen is None or self._seen_in != picture:
            self._seen, self._seen_in = Surface(self.window.bus.tree()), picture
        return self._seen

    def _controls(self) -> list[Control]:
        return self._look().controls(self._opener, self.limits)

    def _here(self, control: Control) -> Control | None:
        """The control as it is now, if it is in front."""
        controls = self._controls()
        same = (now for now in controls if now.key == control.key)
        renamed = (
            now for now in controls if now.node.path == control.node.path and now.key[1] == control.key[1]
        )
        return next(same, None) or (next(renamed, None) if control.process == self.report.restarts else None)

    def _reach(self, control: Control) -> bool:
        """Bring the control to the front: close what is above it, go back, or begin again."""
        if self._here(control) is not None:
            return True
        for attempt in (self._go_home, self._go_back, self._restart):
            if attempt() and self._follow(control.way) and self._here(control) is not None:
                return True
        return False

    def _go_home(self) -> bool:
        """Close what is open above the window."""
        for _ in range(6):
            if self._look().at_home:
                return True
            self.window.press("Escape")
            self.window.rest()
        return False

    def _go_back(self) -> bool:
        self.window.press("alt+Left")
        self.window.rest()
        return self._go_home()

    def _follow(self, way: tuple[Control, ...]) -> bool:
        for control in way:
            now = self._here(control)
            if now is None:
                return False
            if now.asks_menu or ALREADY.get(now.node.role) not in now.node.states:
                self._act(now)
                self.window.rest()
            self._note_opener(now)
        return True

    def _restart(self) -> bool:
        self._stack.close()
        self._stack = ExitStack()
        self._window = self._start(self._stack)
        self.report.restarts += 1
        self._complaints = Counter()
        self._opener = ""
        self._popup = ""
        self._seen = None
        self._met = set()
        self.window.wait(
            lambda tree: next((n for n in tree.walk() if n.role == "push button"), None), "button"
        )
        self.window.rest()
        self._discover()
        return True

    # Operating

    def _operate(self, control: Control) -> None:
        self._pending.pop(control.key, None)
        now = self._here(control)
        if now is None or (now.node.path in self._met and now.node.role not in ROWS):
            return
        self._met.add(now.node.path)
        if not now.node.enabled:
            self.report.disabled.append(f"{now.words}: {now.node.description or 'no reason given'}")
            return
        self.report.operated.append(now.words)
        chosen = now.asks_menu or ALREADY.get(now.node.role) in now.node.states
        title = now.node.role == "column header" and now.node.description
        # Twice, because the first click may only close or focus something, or come while the window is busy.
        if not any(self._tried(control) for _ in range(1 if chosen or title else 2)) and not chosen:
            if title:
                self.report.disabled.append(f"{now.words}: {title}")
            else:
                self.report.dead.append(self._told(control))
        self._check(control)

    def _tried(self, control: Control) -> bool:
        """Operate once and say whether anything came of it."""
        now = self._here(control)
        if now is None:
            return True  # the first try took it away, only late
        now = self._brought_in(now)
        self.window.point_at(*overlap(now.node.place, now.clip).middle)
        self.window.rest()
        self._seen = None  # what is selected may look as before
        before = self._moment()
        fresh = self._here(now) or now
        self._act(now)
        effect = ALREADY.get(fresh.node.role) in fresh.node.states or self._has_effect(before, now)
        if now.node.role in FIELDS:
            self.window.press("BackSpace")
        if self.window.exit_code is None:
            self.window.rest()
            self._note_opener(now)
            self._discover(now if now.node.role == "page tab" else replace(now, way=control.way))
        return effect

    def _act(self, control: Control) -> None:
        window, node = self.window, control.node
        x, y = overlap(node.place, control.clip).middle
        window.click_at(x, y, button=3 if control.asks_menu else 1)
        if control.asks_menu:
            return
        if node.role in FIELDS:
            window.type("a")
        elif node.role in ROWS and control.key[0].startswith("tab "):
            self.window.rest()
            window.click_at(x, y, times=2)
        elif node.role not in OPERABLE:
            window.press("Right")

    def _brought_in(self, control: Control) -> Control:
        """Turn the wheel until the control is inside what holds it.

        In the middle, or else at the left edge, where no field takes the wheel for itself.
        """
        edge = False
        for _ in range(40):
            clip = control.clip
            if clip.width <= 0 or clip.height <= 0 or clip.holds(control.node.place):
                break
            x, y = clip.middle
            self.window.click_at(
                clip.x + 6 if edge else x, y, button=5 if control.node.place.middle[1] > y else 4
            )
            self.window.rest()
            found = self._here(control)
            if found is None or (edge and found.node.place == control.node.place):
                break
            edge = edge or found.node.place == control.node.place
            control = found
        return control

    def _moment(self) -> Moment:
        return Moment(self._look().tree, self.window.picture(), self._gone_outside())

    def _gone_outside(self) -> int:
        return len(self.window.opened_addresses) + self.window.copies

    def _has_effect(self, before: Moment, control: Control) -> bool:
        end = time.monotonic() + self.limits.effect_seconds
        while time.monotonic() < end:
            if self.window.exit_code is not None or self._gone_outside() > before.gone_outside:
                return True
            if self._looks_different(before, control) or self._reads_different(before):
                return True
            time.sleep(0.1)
        return False

    def _looks_different(self, before: Moment, control: Control) -> bool:
        """Whether the picture changed anywhere but at the control and at what has the focus."""
        own = [] if control.node.role in FIELDS else [control.node.place]
        own += [
            node.place
            for node in before.tree.walk()
            if node.role not in HOLDERS | FIELDS and "focused" in node.states
        ]
        masks = [_grown(place) for place in own]
        return before.picture.without(masks) != self.window.picture().without(masks)

    def _reads_different(self, before: Moment) -> bool:
        self._seen = None  # what is selected may look as before
        return before.facts != self._moment().facts

    def _note_opener(self, control: Control) -> None:
        surface = self._look()
        popup = surface.front.path if surface.front and surface.name.startswith("popup") else ""
        if popup != self._popup:
            self._popup, self._opener = popup, control.key[2] if popup else ""

    def _discover(self, by: Control | None = None) -> None:
        """Note the controls in front that weren't known; `by` is what brought them there."""
        way = (*by.way, by) if by is not None else ()
        surface = self._look()
        for problem in () if surface.is_foreign else unreadable(surface.front):
            if (words := f"{surface.name} › {problem}") not in self.report.unreadable:
                self.report.unreadable.append(words)
        for control in self._controls():
            if control.key in self._known:
                continue
            self._known.add(control.key)
            if control.node.path in self._met and control.node.role not in ROWS:
                continue
            self.report.found.append(control.words)
            if len(way) <= self.limits.depth:
                self._pending[control.key] = replace(control, way=way, process=self.report.restarts)

    # Judging

    def _check(self, control: Control) -> None:
        began = time.monotonic()
        if self.window.exit_code is None:
            self.window.bus.ping()
            if (seconds := time.monotonic() - began) > BLOCKED_SECONDS:
                self.report.faults.append(f"{self._told(control)}: no response for {seconds:.0f} s")
        complaints = Counter(self.window.complaints)
        for complaint in (complaints - self._complaints).elements():
            self.report.faults.append(f"{self._told(control)}: {complaint}")
        self._complaints = complaints
        if (code := self.window.exit_code) is not None:
            if code:
                self.report.faults.append(f"{self._told(control)}: ended with {code}")
            self._restart()

    def _told(self, control: Control) -> str:
        way = " → ".join(step.node.name or step.node.role for step in control.way)
        return f"{control.words} (by {way})" if way else control.words


def _grown(place: Place) -> Place:
    return Place(place.x - 8, place.y - 8, place.width + 16, place.height + 16)
