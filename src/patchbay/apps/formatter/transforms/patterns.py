"""Text found by a pattern: the first match or all of them, as text, list, or named groups."""

import regex

from patchbay.domain.base import Json
from patchbay.domain.patterns import TIME_LIMIT
from patchbay.integration.values import parameter_error

from .find_replace import compile_pattern_field, slow_pattern_error

MAX_MATCHES = 10_000


def extract_by_pattern(text: str, pattern: str, *, ignore_case: bool, find_all: bool) -> Json:
    """The first match, empty if there is none, or a list of all matches.

    A match is its text, that of its only group, a list of its groups, or an object of its named groups.
    """
    if not pattern:
        raise parameter_error("pattern", "Enter a pattern.")
    compiled = compile_pattern_field(pattern, ignore_case, "pattern")
    try:
        if not find_all:
            found = compiled.search(text, timeout=TIME_LIMIT)
            return "" if found is None else _result(found)
        results: list[Json] = []
        for match in compiled.finditer(text, timeout=TIME_LIMIT):
            if len(results) == MAX_MATCHES:
                raise parameter_error(
                    "pattern",
                    f"The pattern matches more than {MAX_MATCHES:,} times.",
                    "Split the input first.",
                )
            results.append(_result(match))
    except TimeoutError:
        raise slow_pattern_error("pattern") from None
    return results


def _result(match: "regex.Match[str]") -> Json:
    named = match.groupdict()
    if named:
        return {name: text or "" for name, text in named.items()}
    groups = [text or "" for text in match.groups()]
    return match[0] if not groups else groups[0] if len(groups) == 1 else [*groups]
