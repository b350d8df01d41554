"""Names of days and months in English.

`strftime` gives those of the system's language once Qt has set it, in the middle of English words.
"""

from datetime import date

DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
MONTH_NAMES = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
)  # fmt: skip


def day_name(at: date) -> str:
    """ "Sat"."""
    return DAYS[at.weekday()]


def month_name(at: date) -> str:
    """ "Nov"."""
    return MONTHS[at.month - 1]


def full_month_name(at: date) -> str:
    """ "November"."""
    return MONTH_NAMES[at.month - 1]
