"""Days and months are named in English, whatever the language of the system."""

import re
from datetime import date
from pathlib import Path

import patchbay
from patchbay.domain.clock import day_name, full_month_name, month_name

OF_THE_SYSTEM = re.compile(r"""(?:\{[^{}"']*:|strftime\(["'])[^{}"']*%[aAbBcxXp]""")


def test_names_are_english():
    saturday = date(2026, 11, 28)

    assert (day_name(saturday), month_name(saturday), full_month_name(saturday)) == (
        "Sat",
        "Nov",
        "November",
    )


def test_no_date_is_written_in_the_language_of_the_system():
    sources = Path(patchbay.__file__).parent.rglob("*.py")

    assert [path.name for path in sources if OF_THE_SYSTEM.search(path.read_text("utf-8"))] == []


def test_the_pattern_finds_them():
    assert OF_THE_SYSTEM.search('f"{at:%a} {at.day}"')
    assert OF_THE_SYSTEM.search('at.strftime("%d %B")')
