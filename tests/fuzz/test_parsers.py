"""Everything else that reads what others wrote: bounded in time and memory, and errors in words only."""

import json
from contextlib import suppress
from datetime import UTC
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fuzz import parsers
from tests.support.bombs.imports import IMPORTS, chain, flow
from tests.support.bombs.json_texts import JSON_TEXTS
from tests.support.bombs.texts import CRON_LINES, ERROR_PAGES, REFERENCES, RETRY_AFTER, SETTINGS
from tests.support.bounded import bounded
from tests.support.forms import in_forms
from tests.support.fuzzing import fuzz

from patchbay.apps.postgresql.types import _json_value
from patchbay.client import responses
from patchbay.domain.errors import ThirdPartyError, ValidationFailed
from patchbay.domain.executions import Execution, ExecutionStep
from patchbay.domain.flows import Flow
from patchbay.domain.json_limits import read_json
from patchbay.integration.masking import Masker
from patchbay.integration.oauth_messages import _seconds, decode_claims, read_token_response, token_data
from patchbay.integration.sql.values import parse_list, to_json_value
from patchbay.integration.third_party_errors import MAX_RETRY_AFTER_SECONDS, extract_message, retry_after
from patchbay.integration.values import parse_date_time
from patchbay.storage.executions import decode_cursor

_FINITE = st.floats(allow_nan=False, allow_infinity=False)
_FIELDS = ["id", "name", "steps", "status", "createdAt", "type", "position", "flow", "parameters"]
_MARKS = ["2026", "-", "03", "31", "T", ":", "99", "+", "Z", " ", "jan", "pm", ".", "9" * 14, "GMT"]
KINDS = (
    "application/x-www-form-urlencoded",
    "text/plain; charset=punycode",
    "text/plain",
    "multipart/form-data",
    "multipart/form-data; boundary=b",
    "multipart/form-data; boundary=" + "b" * 100_000,
    "text/plain" + ";" * 60_000,
    "application/x-www-form-urlencoded; charset=utf-16",
    "\0",
    "",
)
FORMS = {
    "ampersands": b"&" * 200_000,
    "fields": b"a=b&" * 100_000,
    "percent signs": b"%" * 200_000,
    "boundaries": b"--b\r\n" * 50_000,
    "open part": b'--b\r\nContent-Disposition: form-data; name="' + b"x" * 200_000,
    "empty parts": b"--b\r\n\r\n" * 20_000 + b"--b--",
}
INPUTS: dict[str, dict[str, tuple[Any, ...]]] = {
    "answer of a third party": {name: (text,) for name, text in JSON_TEXTS.items()},
    "body of a third party": {name: (text,) for name, text in JSON_TEXTS.items()},
    "error page": {name: (text,) for name, text in {**JSON_TEXTS, **ERROR_PAGES}.items()},
    "JSON": {name: (text,) for name, text in JSON_TEXTS.items()},
    "JSON of a webhook": {name: (text,) for name, text in JSON_TEXTS.items()},
    "body of a webhook": {
        **{f"{name} as {kind[:40]}": (kind, form) for kind in KINDS for name, form in FORMS.items()},
        **{name: ("application/json", text) for name, text in JSON_TEXTS.items()},
    },
    "cron line": {name: (line,) for name, line in CRON_LINES.items()},
    "text with references": {name: (text,) for name, text in REFERENCES.items()},
    "flow to import": {name: (text,) for name, text in IMPORTS.items()},
    "settings": {name: (text,) for name, text in SETTINGS.items()},
}


LARGE_INPUTS = {
    "flow to import: 9,000 conditions",
    "settings: 30,000 keys",
    "text with references: 50,000 references",
}


@pytest.mark.parametrize("large", in_forms([False, True], short=[False]))
def test_nothing_that_others_wrote_takes_long_or_stops_its_reader(large):
    cases = {
        f"{kind}: {name}": (kind, *given) for kind, found in INPUTS.items() for name, given in found.items()
    }
    chosen = {name: given for name, given in cases.items() if (name in LARGE_INPUTS) == large}

    assert bounded(parsers.parse, chosen, seconds=3, allowed=())


def test_a_flow_nested_as_deeply_as_it_is_long_is_rejected_with_a_clear_error():
    with pytest.raises(ValidationFailed) as refused:
        parsers.imported_flow(flow(*chain(2000)))

    assert "at most 200 steps" in str(refused.value.by_field)


@pytest.mark.parametrize("name", JSON_TEXTS)
def test_one_odd_document_in_a_database_does_not_keep_other_rows_away(name):
    """A decoder that raises makes the whole query fail."""
    stored = to_json_value(_json_value(b"\x01", b"\x01" + JSON_TEXTS[name]))

    assert json.loads(json.dumps(stored, allow_nan=False)) == stored


@fuzz(40)
@given(st.binary(max_size=300) | st.binary(max_size=300).map(lambda rest: b"PATCHBAY BACKUP\x01" + rest[:9]))
def test_no_file_that_is_no_backup_stops_its_reader(content):
    with pytest.raises(ValidationFailed):
        parsers.sealed_backup(content)


@pytest.mark.parametrize("value", RETRY_AFTER, ids=lambda value: repr(value[:20]))
def test_no_service_makes_us_wait_for_more_than_a_day(value):
    wait = retry_after(value, 1_790_000_000_000)

    assert wait is None or 0 <= wait <= MAX_RETRY_AFTER_SECONDS


@fuzz(60)
@given(st.text(max_size=200))
def test_every_error_page_becomes_one_line_without_tags(text):
    message = extract_message(parsers.response(f"<html>{text}".encode("utf-8", "replace"), "text/html"))

    assert message == " ".join(message.split())
    assert "<" not in message or "&" in text


def test_titles_and_texts_of_error_pages_are_still_found():
    page = "<html><style>p {}</style><TITLE lang=de>Out of &lt;order&gt;</TITLE><script>alert(1)</script><p>x"
    plain = "<html><!-- hidden --><script>alert(1)</script><p>Sorry &amp; <b>bye</b></p>"

    assert extract_message(parsers.response(page.encode(), "text/html")) == "Out of <order>"
    assert extract_message(parsers.response(plain.encode(), "text/html")) == "Sorry & bye"


def test_numbers_that_no_one_can_hold_are_texts():
    found = read_json('{"a": 1e400, "b": NaN, "c": [-Infinity], "d": ' + "9" * 5000 + ', "e": 1.5}')

    assert found == {"a": "1e400", "b": "NaN", "c": ["-Infinity"], "d": "9" * 5000, "e": 1.5}


@fuzz(80)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | _FINITE | st.text(),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
        max_leaves=20,
    )
)
def test_ordinary_json_is_read_as_ever(value):
    assert read_json(json.dumps(value)) == value
    assert read_json(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")) == value


@pytest.mark.parametrize(
    "answer",
    [
        '{"access_token":"a","expires_in":1e400}',
        '{"access_token":"a","expires_in":"soon"}',
        '{"access_token":"a","expires_in":{}}',
        '{"access_token":"a","expires_in":NaN}',
        "[" * 100_000,
        "[]",
        "5",
        "access_token=a&expires_in=" + "9" * 5000,
        '{"access_token":["a"],"scope":5}',
        "",
        "<html>",
        '"text"',
        "null",
    ],
    ids=lambda answer: answer[:40],
)
def test_no_answer_of_a_token_address_stops_a_sign_in_without_words(answer):
    try:
        found = token_data(read_token_response("Shop", answer, Masker(())), 0, {})
    except ThirdPartyError as refused:
        found = {"said": refused.meaning}
    assert found


@pytest.mark.parametrize("value", [1e400, float("nan"), -1, 10**400, "x", None, True, {}, 1e300])
def test_no_number_of_seconds_stops_a_sign_in_on_another_device(value):
    assert 0 < _seconds(value, 5) <= 10**13


@pytest.mark.parametrize("payload", [b"[" * 100_000, b"\xff", b"[]", b"5", b'{"a":1e400}', b""])
def test_no_id_token_stops_a_sign_in(payload):
    import base64

    assert isinstance(decode_claims(f"a.{base64.urlsafe_b64encode(payload).decode()}.c"), dict)


@fuzz(80)
@given(st.text(max_size=60) | st.binary(max_size=60).map(lambda raw: raw.hex()))
def test_every_cursor_is_a_place_or_refused(cursor):
    with suppress(ValidationFailed):
        assert decode_cursor(cursor) is None or cursor


@fuzz(80)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(_FIELDS),
                inner,
                max_size=6,
            )
        ),
        max_leaves=20,
    )
)
def test_every_answer_of_another_service_is_read_or_left_out(answer):
    for model in (Flow, Execution, ExecutionStep):
        found = responses.read(model, answer)
        assert found is None or isinstance(found, model)


@fuzz(80)
@given(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.decimals()
    | st.binary(max_size=20)
    | st.text(max_size=20)
    | st.datetimes()
    | st.dates()
    | st.times()
    | st.timedeltas()
    | st.lists(st.floats(), max_size=3)
)
def test_every_value_of_a_database_becomes_json(value):
    stored = to_json_value(value)

    assert json.loads(json.dumps(stored, allow_nan=False)) == stored


def test_values_of_a_database_that_are_far_too_large_or_deep_become_short_texts():
    from decimal import Decimal

    deep: list[object] = []
    for _ in range(2000):
        deep = [deep]

    assert len(json.dumps(to_json_value(Decimal("1e999999999")))) < 100
    assert len(json.dumps(to_json_value(deep))) < 1000
    assert parse_list("[" * 100_000) == ["[" * 100_000]


@pytest.mark.filterwarnings("ignore::dateutil.parser.UnknownTimezoneWarning")  # an unknown zone is left out
@fuzz(150)
@given(st.text(max_size=60) | st.lists(st.sampled_from(_MARKS), max_size=12).map("".join))
def test_every_date_that_people_write_is_one_or_refused(text):
    with suppress(ValidationFailed):
        assert parse_date_time(text, time_zone=UTC, now=0).isoformat()
