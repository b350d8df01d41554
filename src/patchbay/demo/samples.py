"""Believable answers: JSON samples in which `${…}` stands for something that varies.

`${pick:list.field}` takes the field of one entry of a word list, the same entry everywhere in one rendering;
`${int:low:high}` a number, the same wherever the same bounds stand; `${in:key}` what the step was given;
`${number}` a running number and `${time}` a moment, which may be stand-ins that the caller replaces in the
text afterwards. A text that is nothing but one of these takes over its type.
"""

import random
import re
from collections.abc import Mapping
from typing import Any

from patchbay.demo.files import data
from patchbay.domain.base import Json, JsonObject

_PART = re.compile(r"\$\{(\w+)(?::([^}]*))?\}")


def sample_of(app_key: str, key: str) -> Json:
    """The sample of a trigger or action; a plain confirmation for those without one."""
    found: Json = data("samples").get(f"{app_key}.{key}")
    return {"id": "${number}", "ok": True, "at": "${time}"} if found is None else found


class Rendering:
    """Fills samples. Everything rendered by one instance agrees on people, titles and the rest."""

    def __init__(self, rng: random.Random, number: Json, time: str) -> None:
        self._rng, self._number, self._time = rng, number, time
        self._picked: dict[str, Mapping[str, Any]] = {}
        self._drawn: dict[str, int] = {}

    def fill(self, sample: Json, given: JsonObject) -> Json:
        """The sample with every `${…}` replaced."""
        if isinstance(sample, str):
            return self._text(sample, given) if "${" in sample else sample
        if isinstance(sample, list):
            return [self.fill(item, given) for item in sample]
        if isinstance(sample, dict):
            return {key: self.fill(item, given) for key, item in sample.items()}
        return sample

    def _text(self, text: str, given: JsonObject) -> Json:
        whole = _PART.fullmatch(text)
        if whole:
            return self._value(whole, given)
        return _PART.sub(lambda part: str(self._value(part, given)), text)

    def _value(self, part: re.Match[str], given: JsonObject) -> Json:
        kind, detail = part[1], part[2] or ""
        match kind:
            case "number":
                return self._number
            case "time":
                return self._time
            case "in":
                return given.get(detail)
            case "int":
                return self._number_in(detail)
            case _:
                return self._pick(detail)

    def _number_in(self, detail: str) -> int:
        if detail not in self._drawn:
            low, high = map(int, detail.split(":"))
            self._drawn[detail] = self._rng.randint(low, high)
        return self._drawn[detail]

    def _pick(self, detail: str) -> Json:
        name, field = detail.split(".")
        if name not in self._picked:
            self._picked[name] = self._rng.choice(data("words")[name])
        value: Json = self._picked[name][field]
        return value
