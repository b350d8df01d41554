"""How much each accessibility walk went through, in a file that the next walk brings up to date."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tests.window.accessible import Node

FILE = Path("out/accessibility-walk.txt")
KINDS = {"frame": "page", "dialog": "dialog", "popup menu": "menu"}


@dataclass
class Tally:
    """What one walk looked at: places by kind, controls, stops of the Tab key."""

    places: list[str] = field(default_factory=list)
    kinds: Counter[str] = field(default_factory=Counter)
    controls: set[tuple[str, str, str]] = field(default_factory=set)
    stops: int = 0

    def note(self, place: str, front: Node, controls: list[Node], stops: int) -> None:
        """Count a place; a control of a window that is met again on another page counts once."""
        self.places.append(place)
        kind = "dialog" if "modal" in front.states else KINDS.get(front.role, "popup")
        self.kinds[kind] += 1
        self.controls |= {(front.name, node.role, node.name) for node in controls}
        self.stops += stops

    def words(self, seconds: float) -> str:
        kinds = ", ".join(f"{number} {kind}{'s' * (number != 1)}" for kind, number in self.kinds.items())
        return f"{kinds}; {len(self.controls)} controls, {self.stops} stops of Tab, {seconds:.0f} s"

    def save(self, name: str, seconds: float, file: Path = FILE) -> None:
        """Write the line of this walk, and what it visited below it, in place of what is there about it."""
        file.parent.mkdir(parents=True, exist_ok=True)
        parts = file.read_text("utf-8").split("\n\n") if file.exists() else []
        kept = [part.strip() for part in parts if part.strip() and not part.startswith(f"{name}: ")]
        lines = [f"{name}: {self.words(seconds)}", *(f"  {place}" for place in self.places)]
        file.write_text("\n\n".join(sorted([*kept, "\n".join(lines)])) + "\n", encoding="utf-8")
