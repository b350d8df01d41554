"""Calendar objects and answers of CalDAV servers made to stop their reader."""

START = "DTSTART:20260302T090000Z"
_EVENT = f"BEGIN:VEVENT\r\n{START}\r\nEND:VEVENT\r\n"


def calendar(*lines: str, before: tuple[str, ...] = ()) -> str:
    """A calendar object with one event of these lines."""
    event = ["BEGIN:VEVENT", "UID:bomb", "SUMMARY:bomb", *lines, "END:VEVENT"]
    return "\r\n".join(
        ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Test//EN", *before, *event, "END:VCALENDAR", ""]
    )


def in_zone(rule: str, start: str = "19700101T000000") -> str:
    """An event in a time zone of its own, whose clocks change by this rule."""
    change = (f"DTSTART:{start}", "TZOFFSETFROM:+0100", "TZOFFSETTO:+0200", rule)
    other = (f"DTSTART:{start}", "TZOFFSETFROM:+0200", "TZOFFSETTO:+0100", rule)
    zone = (
        "BEGIN:VTIMEZONE",
        "TZID:Bomb/Zone",
        "BEGIN:STANDARD",
        *change,
        "END:STANDARD",
        "BEGIN:DAYLIGHT",
        *other,
        "END:DAYLIGHT",
        "END:VTIMEZONE",
    )
    return calendar("DTSTART;TZID=Bomb/Zone:20260302T090000", before=zone)


DEMONSTRATED = {
    "TZID of 300 characters": (f"DTSTART;TZID={'x' * 300}:20260302T090000",),
    "duration of 999999999 days": (START, "DURATION:P999999999D"),
    "all day on the last day there is": ("DTSTART;VALUE=DATE:99991231",),
}
"""Lines of events that once stopped a calendar for good, for the tests with a real server."""

CALENDARS: dict[str, str] = {
    **{name: calendar(*lines) for name, lines in DEMONSTRATED.items()},
    "TZID of 100,000 characters": calendar(f"DTSTART;TZID={'x' * 100_000}:20260302T090000"),
    "TZID that is a path": calendar("DTSTART;TZID=../../../etc/passwd:20260302T090000"),
    "TZID with NUL": calendar('DTSTART;TZID="a\0b":20260302T090000'),
    "TZID that is a folder": calendar("DTSTART;TZID=Europe:20260302T090000"),
    "first day there is": calendar("DTSTART;VALUE=DATE:00010101"),
    "first day there is, in a zone": calendar("DTSTART;TZID=Asia/Tokyo:00010101T000000"),
    "year 0": calendar("DTSTART:00000101T000000Z"),
    "negative duration": calendar(START, "DURATION:-P999999D"),
    "duration of 5,000 digits": calendar(START, f"DURATION:P{'9' * 5000}D"),
    "end before the start": calendar(START, "DTEND:00010101T000000Z"),
    "secondly for ever": calendar(START, "RRULE:FREQ=SECONDLY"),
    "interval of 5,000 digits": calendar(START, f"RRULE:FREQ=DAILY;INTERVAL={'9' * 5000}"),
    "interval 0": calendar(START, "RRULE:FREQ=DAILY;INTERVAL=0"),
    "count of 5,000 digits": calendar(START, f"RRULE:FREQ=DAILY;COUNT={'9' * 5000}"),
    "day that never comes": calendar(START, "RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=31"),
    "50,000 weekdays": calendar(START, f"RRULE:FREQ=DAILY;BYDAY={','.join(['MO'] * 50_000)}"),
    "unknown frequency": calendar(START, "RRULE:FREQ=NEVER"),
    "clocks that change each second": in_zone("RRULE:FREQ=SECONDLY"),
    "clocks that change each second, folded": in_zone("RRULE:FREQ=SECO\r\n NDLY"),
    "clocks that change each minute": in_zone("RRULE:FREQ=MINUTELY;INTERVAL=1"),
    "clocks that never change": in_zone("RRULE:FREQ=SECONDLY;BYMONTH=13"),
    "clocks that change a billion times": in_zone("RRULE:FREQ=SECONDLY;COUNT=999999999"),
    "clocks that change daily since year 1": in_zone("RRULE:FREQ=DAILY", "00010101T000000"),
    "clocks that change at each second of a day": in_zone(
        "RRULE:FREQ=YEARLY;BYSECOND={};BYMINUTE={};BYHOUR={}".format(
            *(",".join(map(str, range(count))) for count in (60, 60, 24))
        )
    ),
    "clocks that change on 31 February": in_zone("RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=31"),
    "20,000 open events": "BEGIN:VCALENDAR\r\n" + "BEGIN:VEVENT\r\n" * 20_000,
    "nested calendars": "BEGIN:VCALENDAR\r\n" * 5000 + "END:VCALENDAR\r\n" * 5000,
    "nested events": "BEGIN:VEVENT\r\n" * 5000 + "END:VEVENT\r\n" * 5000,
    "5,000 events": "BEGIN:VCALENDAR\r\n" + _EVENT * 5000 + "END:VCALENDAR\r\n",
    "ends only": "END:VEVENT\r\n" * 100_000,
    "20,000 attendees": calendar(START, *["ATTENDEE:mailto:a@b.example"] * 20_000),
    "50,000 parameters": calendar(START, f"ATTENDEE{';A=b' * 50_000}:mailto:a@b.example"),
    "quotes and semicolons": calendar(START, "ATTENDEE;A=" + '";' * 50_000 + ":mailto:a@b"),
    "semicolons": calendar(START, f"X{';' * 200_000}:y"),
    "colons": calendar(START, ":" * 200_000),
    "line of 2 MB": calendar(START, "DESCRIPTION:" + "x" * 2_000_000),
    "backslashes": calendar(START, "SUMMARY:" + "\\" * 500_000),
    "folded 100,000 times": calendar(START, "SUMMARY:" + "\r\n x" * 100_000),
    "100,000 categories": calendar(START, "CATEGORIES:" + "," * 100_000),
    "20,000 dates": calendar(START, "RDATE:" + ",".join(["20260302T090000Z"] * 20_000)),
    "sequence of 5,000 digits": calendar(START, "SEQUENCE:" + "9" * 5000),
    "place of 5,000 digits": calendar(START, f"GEO:{'9' * 5000};1"),
    "two starts": calendar(START, START),
    "no start": calendar(),
    "start that is a list": calendar("DTSTART:20260302T090000Z,20260303T090000Z"),
    "start that is a period": calendar("DTSTART;VALUE=PERIOD:20260302T090000Z/P99999999999D"),
    "start at 25:61": calendar("DTSTART:20260302T256100Z"),
    "two organizers": calendar(START, "ORGANIZER:mailto:a", "ORGANIZER:mailto:b"),
    "attachment of 1 MB": calendar(START, "ATTACH;ENCODING=BASE64;VALUE=BINARY:" + "A" * 1_000_001),
    "brackets in an address": calendar(START, "URL:" + "http://[" * 10_000),
    "NUL": calendar(START, "SUMMARY:\0"),
    "half a surrogate pair": calendar(START, "SUMMARY:\ud800"),
    "empty": "",
    "no calendar": "<html></html>",
    "zone without a name": calendar(START, before=("BEGIN:VTIMEZONE", "END:VTIMEZONE")),
    "open zone": "BEGIN:VCALENDAR\r\n" + "BEGIN:VTIMEZONE\r\n" * 20_000,
}

_OPEN = b'<multistatus xmlns="DAV:">'

ANSWERS: dict[str, bytes] = {
    "entities": b'<!DOCTYPE a [<!ENTITY a "' + b"x" * 1000 + b'">]><a>' + b"&a;" * 50_000,
    "entity of a file": b'<!DOCTYPE a [<!ENTITY a SYSTEM "file:///etc/passwd">]><a>&a;</a>',
    "50,000 levels": _OPEN + b"<a>" * 50_000 + b"</a>" * 50_000 + b"</multistatus>",
    "50,000 responses": _OPEN + b"<response/>" * 50_000 + b"</multistatus>",
    "nested responses": _OPEN + b"<response>" * 20_000 + b"</response>" * 20_000 + b"</multistatus>",
    "50,000 properties": _OPEN
    + b"<response><propstat><prop>"
    + b"<a/>" * 50_000
    + b"</prop></propstat></response></multistatus>",
    "30,000 attributes": b"<a " + b" ".join(b'a%d="b"' % number for number in range(30_000)) + b"/>",
    "30,000 namespaces": b"<a " + b" ".join(b'xmlns:a%d="b"' % number for number in range(30_000)) + b"/>",
    "link with an open bracket": _OPEN + b"<response><href>http://[</href></response></multistatus>",
    "link of 1 MB": _OPEN + b"<response><href>" + b"../" * 300_000 + b"</href></response></multistatus>",
    "no responses": b'<multistatus xmlns="DAV:"/>',
    "unknown encoding": b'<?xml version="1.0" encoding="punycode"?><a/>',
    "UTF-16 that is none": b"\xff\xfe<\0a\0",
    "comments": _OPEN + b"<!-- -->" * 50_000 + b"</multistatus>",
    "open comment": _OPEN + b"<!-- " + b"-" * 1_000_000,
    "NUL": b"\0" * 100_000,
    "empty": b"",
}
"""Bodies of answers with status 207."""
