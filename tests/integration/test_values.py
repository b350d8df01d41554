"""Reading what people type: numbers, switches, dates, addresses, rows."""

from contextlib import suppress
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patchbay.domain.errors import ValidationFailed
from patchbay.integration import App, AuthField, Response
from patchbay.integration.masking import MASK, Masker, secrets_of
from patchbay.integration.request_actions import pairs_from_rows, response_item
from patchbay.integration.urls import same_origin
from patchbay.integration.values import (
    as_bool,
    as_number,
    json_number,
    last_lines,
    number,
    parse_date_time,
    parse_time_zone,
)

NOON = int(datetime(2026, 3, 1, 12, tzinfo=UTC).timestamp() * 1000)


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (True, True),
        (False, False),
        ("true", True),
        ("Yes", True),
        ("1", True),
        (1, True),
        ("false", False),
        ("no", False),
        ("", False),
        (None, False),
        ("maybe", False),
    ],
)
def test_switches(value, wanted):
    assert as_bool(value) is wanted


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ("7", "7"),
        (" -7.50 ", "-7.50"),
        (3.5, "3.5"),
        (".5", "0.5"),
        ("1e3", "1000"),
        ("5.", "5"),
        ("", None),
        (None, None),
        ("1,5", None),
        ("NaN", None),
        ("Infinity", None),
        ("1_000", None),
        ("0x10", None),
        (True, None),
        ("9" * 500, None),
        ([1], None),
        ("٣", None),
    ],
)
def test_numbers(value, wanted):
    assert as_number(value) == (None if wanted is None else Decimal(wanted))


def test_a_missing_number_is_requested_by_its_label():
    with pytest.raises(ValidationFailed, match="Enter Wait"):
        number({}, "wait", "Wait")
    with pytest.raises(ValidationFailed, match="Wait: “soon” isn't a number"):
        number({"wait": "soon"}, "wait", "Wait")


@given(st.decimals(allow_nan=False, allow_infinity=False, places=3))
def test_whole_numbers_stay_whole(value):
    plain = json_number(value)

    assert isinstance(plain, int) == (value == value.to_integral_value())


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("2026-03-31", "2026-03-31T00:00:00+02:00"),
        ("2026-03-31 14:30", "2026-03-31T14:30:00+02:00"),
        ("2026-03-31T14:30:00Z", "2026-03-31T14:30:00+00:00"),
        ("2026-03-31T14:30:00.250-05:00", "2026-03-31T14:30:00.250000-05:00"),
        ("March 31, 2026 2pm", "2026-03-31T14:00:00+02:00"),
        ("Tue, 31 Mar 2026 14:30:00 GMT", "2026-03-31T14:30:00+00:00"),
        ("31.12.2026", "2026-12-31T00:00:00+01:00"),
        ("03/04/2026", "2026-03-04T00:00:00+01:00"),
        ("14:30", "2026-03-01T14:30:00+01:00"),
        ("1774960200", "2026-03-31T12:30:00+00:00"),
        ("1774960200000", "2026-03-31T12:30:00+00:00"),
    ],
)
def test_dates_in_many_forms(text, wanted):
    assert parse_date_time(text, time_zone=parse_time_zone("Europe/Berlin"), now=NOON).isoformat() == wanted


@pytest.mark.parametrize(
    "text", ["", "soon", "tomorrow", "2026-13-45", "99/99/9999", "1" * 40, "x" * 200, "{{1}}"]
)
def test_an_invalid_date_is_reported(text):
    with pytest.raises(ValidationFailed):
        parse_date_time(text, time_zone=UTC, now=NOON)


@given(st.text(max_size=40) | st.datetimes().map(str))
def test_every_text_is_a_date_with_a_time_zone_or_rejected(text):
    with suppress(ValidationFailed):
        assert parse_date_time(text, time_zone=UTC, now=NOON).utcoffset() is not None


@pytest.mark.parametrize("name", ["Nowhere/City", "../etc/passwd", "x\0y", "Europe"])
def test_an_unknown_time_zone_is_reported(name):
    with pytest.raises(ValidationFailed, match="isn't a known time zone"):
        parse_time_zone(name)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("https://a.example/x", "https://a.example:443/y", True),
        ("http://a.example/x", "https://a.example/x", True),
        ("https://a.example/x", "http://a.example/x", False),
        ("https://a.example", "https://b.example", False),
        ("http://a.example:8080", "http://a.example:8081", False),
        ("http://a.example:8080", "https://a.example", False),
    ],
)
def test_origins(one, other, same):
    assert same_origin(one, other) is same


def test_rows_without_a_name_are_dropped():
    rows: list[Any] = [
        {"key": " A ", "value": 1},
        {"key": "", "value": "x"},
        {"value": "y"},
        "odd",
        {"key": "B"},
    ]

    assert pairs_from_rows(rows) == [("A", "1"), ("B", "")]
    assert pairs_from_rows(None) == []


@pytest.mark.parametrize(
    ("kind", "content", "wanted"),
    [
        ("application/json", b'{"a": 1}', {"a": 1}),
        ("application/json", b"not json", "not json"),
        ("text/plain; charset=utf-8", "é".encode(), "é"),
        ("application/problem+json", b"[1]", [1]),
        ("image/png", b"\x89PNG", "iVBORw=="),
        ("application/zip", b"PK", "UEs="),
        ("", b"hello", "hello"),
        ("", b"\xff\xfe\x00", "//4A"),
        ("text/plain", b"", ""),
    ],
)
def test_answers_are_data_text_or_base64(kind, content, wanted):
    response = Response(200, "OK", {"content-type": kind} if kind else {}, content, "http://x")

    assert response_item(response)["data"] == wanted


@given(st.text(min_size=1, max_size=30).filter(str.strip), st.text(max_size=50), st.text(max_size=50))
def test_a_secret_never_survives_masking_between_other_texts(secret, before, after):
    secret = f"{secret.strip()}12345"

    assert secret not in Masker([secret]).text(f"{before} {secret} {after}").replace(MASK, "")


def test_values_that_sound_secret_are_masked_even_without_a_field():
    app = App(name="Shop", key="shop")
    data: dict[str, Any] = {
        "accessToken": "tok-12345",
        "screenName": "Ann",
        "clientId": "public",
        "password": "pw",
        "expires": 5,
    }

    assert set(secrets_of(app, data)) == {"tok-12345", "pw"}
    assert AuthField(key="apiKey", label="API Key").is_secret


def test_numbers_and_keys_in_answers_are_masked_too():
    masker = Masker(["123456"])

    assert masker.json({"a123456": [123456, True, None, "x"]}) == {f"a{MASK}": [MASK, True, None, "x"]}


def test_the_last_lines_of_a_program_are_short_and_can_be_stored():
    printed = b"first\nsecond\n" + b"x" * 500 + b"\na\0b\n\xff"

    assert last_lines(printed) == f"Printed last: “{'x' * 200} / a\ufffdb / \ufffd”."
    assert last_lines(b"") == ""
