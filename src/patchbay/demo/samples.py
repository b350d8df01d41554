"""Realistic sample responses: JSON with `${…}` placeholders.

`${pick:list.field}` is a field of a random entry of a word list, the same entry everywhere in one rendering.
`${int:low:high}` is a random number, the same for the same bounds. `${in:key}` is a value of the step's
input. `${number}` and `${time}` are a running number and a time, which may be placeholders that the caller
replaces. A text that consists of a single placeholder gets the type of its value.
"""

import random
import re
from collections.abc import Mapping
from typing import Any

from patchbay.demo.blueprint import load_json
from patchbay.domain.base import Json, JsonObject

_PLACEHOLDER = re.compile(r"\$\{(\w+)(?::([^}]*))?\}")


def get_sample(app_key: str, key: str) -> Json:
    """The sample for a trigger or action; a generic confirmation if there is none."""
    found: Json = load_json("samples").get(f"{app_key}.{key}")
    return {"id": "${number}", "ok": True, "at": "${time}"} if found is None else found


class SampleRenderer:
    """Renders samples. All samples rendered by one instance use the same people, titles, and so on."""

    def __init__(self, rng: random.Random, number: Json, time: str) -> None:
        self._rng = rng
        self._number = number
        self._time = time
        self._picks: dict[str, Mapping[str, Any]] = {}
        self._drawn: dict[str, int] = {}

    def render(self, sample: Json, given: JsonObject) -> Json:
        """Replace every `${…}` in a sample."""
        if isinstance(sample, str):
            if "${" not in sample:
                return sample
            if whole := _PLACEHOLDER.fullmatch(sample):
                return self._value(whole, given)
            return _PLACEHOLDER.sub(lambda placeholder: str(self._value(placeholder, given)), sample)
        if isinstance(sample, list):
            return [self.render(item, given) for item in sample]
        if isinstance(sample, dict):
            return {key: self.render(item, given) for key, item in sample.items()}
        return sample

    def _value(self, placeholder: re.Match[str], given: JsonObject) -> Json:
        kind, detail = placeholder[1], placeholder[2] or ""
        match kind:
            case "number":
                return self._number
            case "time":
                return self._time
            case "in":
                return given.get(detail)
            case "int":
                if detail not in self._drawn:
                    low, high = map(int, detail.split(":"))
                    self._drawn[detail] = self._rng.randint(low, high)
                return self._drawn[detail]
            case _:
                name, field = detail.split(".")
                if name not in self._picks:
                    self._picks[name] = self._rng.choice(load_json("words")[name])
                value: Json = self._picks[name][field]
                return value
