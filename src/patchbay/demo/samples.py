"""Realistic sample data: JSON with `${…}` placeholders.

`${pick:list.field}` is a field of a random entry of a word list, the same entry everywhere in one rendering.
`${int:low:high}` is a random number, the same for the same bounds. `${in:key|other.key}` is the first value
that the input of the step, or the request, has. `${german:key}` is a value of the input in German, as far as
the word lists have it. `${number}` is a running number, `${id}` the same as text, and `${time}`, `${date}`,
`${seconds}`, and `${milliseconds}` are a time. A text that consists of a single placeholder gets the type of
its value.

Instead of a value there can be an object: `{"$sample": key}` is the sample with this key (other members are
added to it), and `{"$base64": text}` the text in base64.
"""

import base64
import random
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
from functools import cache
from typing import Any

from patchbay.demo.blueprint import load_json
from patchbay.demo.timing import format_iso
from patchbay.domain.base import EpochMs, Json, JsonObject

_PLACEHOLDER = re.compile(r"\$\{(\w+)(?::([^}]*))?\}")


@dataclass(frozen=True)
class Occasion:
    """The running number of an item, and when it happened."""

    number: int
    at: EpochMs

    @property
    def milliseconds(self) -> int:
        """The time in milliseconds since the epoch."""
        return self.at

    @property
    def seconds(self) -> int:
        """The time in whole seconds since the epoch."""
        return self.at // 1000

    @property
    def time(self) -> str:
        """The time in the format of ISO 8601."""
        return format_iso(self.at)

    @property
    def date(self) -> str:
        """The time in the format of mail headers."""
        return format_datetime(datetime.fromtimestamp(self.seconds, UTC), usegmt=True)


OCCASION_PARTS = ("number", "time", "date", "milliseconds", "seconds")
"""The placeholders for an occasion. `milliseconds` precedes `seconds`, whose digits it begins with."""


def get_sample(key: str) -> Json:
    """The sample with a key, such as `github.newIssues`; a generic confirmation if there is none."""
    found: Json = load_json("samples").get(key)
    return {"id": "${number}", "ok": True, "at": "${time}"} if found is None else found


class SampleRenderer:
    """Renders samples. All samples rendered by one instance use the same people, titles, and so on."""

    def __init__(self, rng: random.Random, occasion: Occasion) -> None:
        self._rng = rng
        self._occasion = occasion
        self._picks: dict[str, Mapping[str, Any]] = {}
        self._drawn: dict[str, int] = {}

    def render(self, sample: Json, given: JsonObject) -> Json:
        """Replace every placeholder in a sample. `given` is the input of the step, or of the request."""
        if isinstance(sample, str):
            return self._text(sample, given) if "${" in sample else sample
        if isinstance(sample, list):
            return [self.render(item, given) for item in sample]
        if isinstance(sample, dict):
            return self._object(sample, given)
        return sample

    def _text(self, sample: str, given: JsonObject) -> Json:
        if whole := _PLACEHOLDER.fullmatch(sample):
            return self._value(whole, given)
        return _PLACEHOLDER.sub(lambda placeholder: str(self._value(placeholder, given)), sample)

    def _object(self, sample: JsonObject, given: JsonObject) -> Json:
        if "$base64" in sample:
            text = str(self.render(sample["$base64"], given))
            return base64.urlsafe_b64encode(text.encode()).decode("ascii")
        if "$sample" not in sample:
            return {key: self.render(item, given) for key, item in sample.items()}
        base = self.render(get_sample(str(sample["$sample"])), given)
        others = {key: self.render(item, given) for key, item in sample.items() if key != "$sample"}
        return {**base, **others} if isinstance(base, dict) else base

    def _value(self, placeholder: re.Match[str], given: JsonObject) -> Json:
        kind, detail = placeholder[1], placeholder[2] or ""
        match kind:
            case _ if kind in OCCASION_PARTS:
                value: Json = getattr(self._occasion, kind)
                return value
            case "id":
                return str(self._occasion.number)
            case "in":
                return find_given(detail, given)
            case "german":
                return _german_texts().get(str(given.get(detail)), given.get(detail))
            case "int":
                if detail not in self._drawn:
                    low, high = map(int, detail.split(":"))
                    self._drawn[detail] = self._rng.randint(low, high)
                return self._drawn[detail]
            case _:
                return self._pick(detail)

    def _pick(self, detail: str) -> Json:
        name, field = detail.split(".")
        if name not in self._picks:
            self._picks[name] = self._rng.choice(load_json("words")[name])
        value: Json = self._picks[name][field]
        return value


def find_given(paths: str, given: JsonObject) -> Json:
    """The first value at one of some dotted paths, which are separated by `|`; None if there is none."""
    for path in paths.split("|"):
        value: Json = given
        for part in path.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        if value is not None:
            return value
    return None


@cache
def _german_texts() -> dict[str, str]:
    """The texts of the word lists that have a German translation."""
    entries = (entry for entries in load_json("words").values() for entry in entries)
    return {entry["title"]: entry["de"] for entry in entries if "de" in entry}
