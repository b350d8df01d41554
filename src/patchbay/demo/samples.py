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

from patchbay.demo.blueprint import load_json
from patchbay.domain.base import Json, JsonObject

_PLACEHOLDER = re.compile(r"\$\{(\w+)(?::([^}]*))?\}")


def get_sample(app_key: str, key: str) -> Json:
    """The sample of a trigger or action; a plain confirmation for those without one."""
    found: Json = load_json("samples").get(f"{app_key}.{key}")
    return {"id": "${number}", "ok": True, "at": "${time}"} if found is None else found


class SampleRenderer:
    """Fills samples. Everything rendered by one instance agrees on people, titles and the rest."""

    def __init__(self, rng: random.Random, number: Json, time: str) -> None:
        self._rng, self._number, self._time = rng, number, time
        self._picks: dict[str, Mapping[str, Any]] = {}
        self._drawn: dict[str, int] = {}

    def render(self, sample: Json, given: JsonObject) -> Json:
        """The sample with every `${…}` replaced."""
        if isinstance(sample, str):
            return self._text(sample, given) if "${" in sample else sample
        if isinstance(sample, list):
            return [self.render(item, given) for item in sample]
        if isinstance(sample, dict):
            return {key: self.render(item, given) for key, item in sample.items()}
        return sample

    def _text(self, text: str, given: JsonObject) -> Json:
        whole = _PLACEHOLDER.fullmatch(text)
        if whole:
            return self._value(whole, given)
        return _PLACEHOLDER.sub(lambda placeholder: str(self._value(placeholder, given)), text)

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
        if name not in self._picks:
            self._picks[name] = self._rng.choice(load_json("words")[name])
        value: Json = self._picks[name][field]
        return value
