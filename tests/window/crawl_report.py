"""What a crawl found, as text and as JSON."""

import json
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(slots=True)
class Report:
    """What a crawl found."""

    name: str
    found: list[str] = field(default_factory=list)
    operated: list[str] = field(default_factory=list)
    disabled: list[str] = field(default_factory=list)
    """What can't be operated now, and titles of columns that don't sort, with the reason they give."""
    unreadable: list[str] = field(default_factory=list)
    """What a screen reader couldn't tell: a name, a role, or a value."""
    dead: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    """Crash reports, lines on standard error, and times when the window didn't respond."""
    unreached: list[str] = field(default_factory=list)
    """Controls that were there once and couldn't be reached again, or for which no time was left."""
    restarts: int = 0
    seconds: float = 0.0

    def text(self) -> str:
        counts = (
            f"{self.name}: {len(self.found)} controls found, {len(self.operated)} operated, "
            f"{len(self.dead)} without effect, {len(self.faults)} faults, {len(self.disabled)} disabled, "
            f"{len(self.unreadable)} unreadable, "
            f"{len(self.unreached)} not reached, {self.restarts} starts, {self.seconds:.0f} s"
        )
        lists = (
            ("Without effect", self.dead),
            ("Faults", self.faults),
            ("Unreadable", self.unreadable),
            ("Disabled", self.disabled),
            ("Not reached", self.unreached),
            ("Operated", self.operated),
        )
        parts = [f"\n{title}\n" + "\n".join(f"  {line}" for line in lines) for title, lines in lists if lines]
        return "\n".join([counts, *parts, ""])

    def save(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"crawl-{self.name}.txt").write_text(self.text(), encoding="utf-8")
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__}
        (folder / f"crawl-{self.name}.json").write_text(json.dumps(fields, indent=1), encoding="utf-8")
