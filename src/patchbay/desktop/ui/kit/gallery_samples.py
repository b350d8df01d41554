"""Invented data for the kit's page."""

from patchbay.domain.base import JsonObject
from patchbay.domain.executions import Histogram, HistogramBar

SAMPLE: JsonObject = {
    "issue": {
        "title": "Crash when the folder name is empty",
        "number": 482,
        "locked": False,
        "milestone": None,
        "labels": ["bug", "ui"],
    }
}

START, SPAN = 1_795_600_800_000, 1_800_000


def sample_histogram() -> Histogram:
    """Half hours of a day, the same each time."""
    bars = tuple(
        HistogramBar(
            start=START + place * SPAN,
            success=3 + place * 7 % 11,
            failure=2 if place in (4, 11, 29) else 0,
            other=place % 9 == 3,
        )
        for place in range(36)
    )
    return Histogram(span_ms=SPAN, bars=bars)
