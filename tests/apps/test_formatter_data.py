"""Transforms of JSON, CSV, XML, lists, URLs, hashes, patterns, and templates."""

import json
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.app_calls import NOON, act
from tests.support.forms import long_form

from patchbay.domain.errors import ComputationStopped, ValidationFailed

csv_text = import_module("patchbay.apps.formatter.transforms.csv_text")
xml_text = import_module("patchbay.apps.formatter.transforms.xml_text")
numbers = import_module("patchbay.apps.formatter.transforms.number_formats")

NAMES = st.text(alphabet="abcdefgh", min_size=1, max_size=6)
CELLS = st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\r\n\0"), max_size=8)


def result_or_rejection(parse: Callable[..., Any], *given: str) -> Any:
    """The result of a parser, or the fields that it rejects. Other errors are raised."""
    try:
        return parse(*given)
    except ValidationFailed as error:
        return error.by_field


async def run(action: str, transform: str, **fields: Any) -> Any:
    return (await act("formatter", action, {"transform": transform, **fields}))["output"]


async def test_csv_becomes_objects_by_the_names_in_its_first_row():
    table = '\ufeffname;price\r\n\r\n"Sauce; hot";3\r\nBread\r\n'

    assert await run("data", "parseCsv", input=table) == [
        {"name": "Sauce; hot", "price": "3"},
        {"name": "Bread", "price": ""},
    ]
    assert await run("data", "parseCsv", input="1,2\n3", hasHeader=False) == [["1", "2"], ["3"]]


def test_columns_without_a_name_of_their_own_are_numbered():
    assert csv_text.unique_names(["a", "", "a", "a"]) == ["a", "column 2", "a 2", "a 3"]
    assert csv_text.parse_csv("a\n1,2", ",", has_header=True) == [{"a": "1", "column 2": "2"}]


@pytest.mark.parametrize(
    ("text", "delimiter"), [("a;b,c;d", ";"), ("a\tb", "\t"), ('"a;b;c",d', ","), ("plain", ","), ("", ",")]
)
def test_the_delimiter_is_found_in_the_first_line(text, delimiter):
    assert csv_text.find_delimiter(text) == delimiter


@given(
    st.lists(st.dictionaries(NAMES, CELLS.map(str.strip).filter(bool), min_size=1, max_size=1), max_size=5)
)
def test_a_table_that_is_made_can_be_read_again(rows):
    names = [*dict.fromkeys(name for row in rows for name in row)]
    made = csv_text.make_csv(rows, ";", with_header=True)

    assert csv_text.parse_csv(made, ";", has_header=True) == [
        {name: row.get(name, "") for name in names} for row in rows
    ]


async def test_a_table_is_made_of_objects_lists_and_their_json_text():
    rows = '[{"a": 1, "b": "x,y"}, {"a": null, "c": true}]'

    assert await run("data", "makeCsv", input=rows) == 'a,b,c\r\n1,"x,y",\r\n,,true\r\n'
    assert await run("data", "makeCsv", input=[[1, 2], "x"], delimiter="\t") == "1\t2\r\nx\r\n"


async def test_a_table_that_is_too_large_is_reported():
    with pytest.raises(ValidationFailed, match="more than 250,000 values"):
        await run("data", "parseCsv", input="a,b,c,d\n" * 60_000)


async def test_xml_becomes_an_object():
    document = (
        '<?xml version="1.0" encoding="ISO-8859-1"?><o:order xmlns:o="urn:x" id="7">'
        "<item>Tea</item><item>Köln &amp; Bonn</item><note lang='de'>Hallo</note><empty/></o:order>"
    )

    assert await run("data", "parseXml", input=document) == {
        "order": {
            "@id": "7",
            "item": ["Tea", "Köln & Bonn"],
            "note": {"@lang": "de", "#text": "Hallo"},
            "empty": "",
        }
    }


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ("<a><b></a>", r"isn't valid XML \(line 1, column \d+\)"),
        ("", "isn't valid XML"),
        ('<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>', "document type or entities"),
        ('<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>', "document type or entities"),
        ("<a>" * 200 + "</a>" * 200, "more than 100 levels"),
        ("<a>" + "<b/>" * 100_001 + "</a>", "more than 100,000 elements"),
    ],
)
async def test_xml_that_is_invalid_or_hostile_is_rejected(document, words):
    with pytest.raises(ValidationFailed, match=words):
        await run("data", "parseXml", input=document)


XML_TREE = st.recursive(
    CELLS.map(str.strip).map(lambda text: text.translate(xml_text._FORBIDDEN)).map(str.strip),
    lambda inner: st.dictionaries(NAMES, inner | st.lists(inner, min_size=2, max_size=3), min_size=1),
    max_leaves=6,
)


@given(st.dictionaries(NAMES, XML_TREE, min_size=1, max_size=1))
def test_xml_that_is_made_can_be_read_again(document):
    assert xml_text.parse_xml(xml_text.make_xml(document, "")) == document


@given(st.text(alphabet='<>/a "=&;!?[]-#x:', max_size=60) | st.text(max_size=30))
def test_any_text_is_xml_or_rejected(text):
    parsed = result_or_rejection(xml_text.parse_xml, text)

    assert json.loads(json.dumps(parsed, allow_nan=False)) == parsed


@given(st.text(alphabet='",;\t|a\r\n\0', max_size=60), st.booleans())
def test_any_text_is_a_table_or_rejected(text, has_header):
    parse = partial(csv_text.parse_csv, has_header=has_header)
    rows = result_or_rejection(parse, text, csv_text.find_delimiter(text))

    assert json.loads(json.dumps(rows)) == rows


async def test_xml_is_made_with_attributes_and_escapes():
    value = {"@id": 7, "name": "a < b", "tag": ["x", "y"], "note": {"@lang": "de", "#text": "Hallo"}}

    assert (await run("data", "makeXml", input=value, root="order")).splitlines() == [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<order id="7">',
        "  <name>a &lt; b</name>",
        "  <tag>x</tag>",
        "  <tag>y</tag>",
        '  <note lang="de">Hallo</note>',
        "</order>",
    ]
    with pytest.raises(ValidationFailed, match="can't be the name of an element"):
        await run("data", "makeXml", input={"two words": 1}, root="a")


async def test_json_is_made_of_rows_or_of_a_whole_value():
    rows = [{"key": "name", "value": "Ada"}, {"key": "tags", "value": ["a"]}, {"key": "", "value": "x"}]

    assert await run("data", "makeJson", values=rows) == '{"name": "Ada", "tags": ["a"]}'
    assert json.loads(await run("data", "makeJson", input={"a": [1]}, indent=True)) == {"a": [1]}
    assert await run("data", "parseStringifiedJson", input='{"a": 1}') == {"a": 1}


async def test_a_template_is_filled_in_once_or_per_item():
    items = [{"name": "Tea", "maker": {"city": "Köln"}}, {"name": "Bread"}]
    template = "{number}. {name} ({maker.city}) {}"

    assert await run("data", "fillTemplate", template=template, input=items, separator="\\n") == (
        "1. Tea (Köln) {}\n2. Bread () {}"
    )
    assert await run("data", "fillTemplate", template="Hi {name}", input='{"name": "Ada"}') == "Hi Ada"
    assert await run("data", "fillTemplate", template="{item}", input=[1, 2], separator="+") == "1+2"


async def test_a_result_that_would_be_too_long_is_reported_before_it_is_built():
    with pytest.raises((ValidationFailed, ComputationStopped), match="longer than 10,000,000"):
        await run("data", "fillTemplate", template="x" * 1_000 + "{item}", input=[1] * 20_000)


async def test_texts_are_split_and_joined():
    assert await run("data", "splitText", input="a, b ,c", separator=",") == ["a", "b", "c"]
    assert await run("data", "splitText", input="a\nb", separator="") == ["a", "b"]
    assert await run("data", "splitText", input="") == []
    assert await run("data", "joinList", input=["a", 1, True], separator=" | ") == "a | 1 | true"


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"algorithm": "md5"}, "900150983cd24fb0d6963f7d28e17f72"),
        ({"algorithm": "sha1"}, "a9993e364706816aba3e25717850c26c9cd0d89d"),
        ({"algorithm": "sha256"}, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        ({"algorithm": "sha1", "encoding": "base64"}, "qZk+NkcGgWq6PiVxeFDCbJzQ2J0="),
        (
            {"algorithm": "sha256", "secret": "key"},
            "9c196e32dc0175f86f4b1cb89289d6619de6bee699e4c378e68309ed97a1a6ab",
        ),
    ],
)
async def test_texts_are_hashed(fields, expected):
    assert await run("text", "hash", input="abc", **fields) == expected


async def test_a_url_is_taken_apart_and_gets_parameters():
    url = "https://ada@example.org:8443/a%20b?x=1&x=2&y=#top"

    assert await run("text", "parseUrl", input=url) == {
        "scheme": "https",
        "host": "example.org",
        "port": 8443,
        "path": "/a b",
        "query": {"x": ["1", "2"], "y": ""},
        "fragment": "top",
        "username": "ada",
    }
    rows = [{"key": "q", "value": "a b&c"}, {"key": "", "value": "x"}]
    assert (
        await run("text", "addUrlParameters", input="https://e.org/?p=1#t", parameters=rows)
        == "https://e.org/?p=1&q=a+b%26c#t"
    )
    assert await run("text", "decodeUriComponent", input="a%20%C3%A4%FF") == "a ä\ufffd"
    assert (
        await run("text", "extractUrl", input="See (https://e.org/a_(b)), or not.") == "https://e.org/a_(b))"
    )
    assert await run("text", "extractUrl", input="(https://e.org/a)") == "https://e.org/a"
    with pytest.raises(ValidationFailed, match="isn't a URL"):
        await run("text", "parseUrl", input="no address")


@pytest.mark.parametrize(
    ("pattern", "more", "expected"),
    [
        (r"\d+", {}, "7"),
        (r"INV-(\d+)", {}, "7"),
        (r"(\w+)-(\d+)", {}, ["INV", "7"]),
        (r"(?P<kind>\w+)-(?P<number>\d+)", {}, {"kind": "INV", "number": "7"}),
        (r"\d+", {"findAll": True}, ["7", "42"]),
        (r"inv-(\d+)", {"ignoreCase": True}, "7"),
        ("x", {}, ""),
        ("x", {"findAll": True}, []),
    ],
)
async def test_text_is_extracted_by_a_pattern(pattern, more, expected):
    assert await run("text", "extractByPattern", input="INV-7, 42", pattern=pattern, **more) == expected


@long_form
async def test_a_pattern_that_is_invalid_or_slow_is_reported():
    with pytest.raises(ValidationFailed, match="isn't valid"):
        await run("text", "extractByPattern", input="a", pattern="(")
    with pytest.raises(ValidationFailed, match="more than 1 second"):
        await run("text", "extractByPattern", input="a" * 40 + "!", pattern="^(a|a)+$")
    with pytest.raises(ValidationFailed, match="more than 10,000 times"):
        await run("text", "extractByPattern", input="a" * 10_001, pattern="a", findAll=True)


async def test_texts_are_written_in_upper_case_and_cut():
    assert await run("text", "uppercase", input="Straße") == "STRASSE"
    assert await run("text", "truncate", input="abcdef", length="4", ending="…") == "abc…"
    assert await run("text", "truncate", input="abc", length="3", ending="…") == "abc"


@pytest.mark.parametrize(
    ("transform", "fields", "expected"),
    [
        ("roundNumber", {"input": "2.5"}, 3),
        ("roundNumber", {"input": "2.5", "rounding": "even"}, 2),
        ("roundNumber", {"input": "2.341", "decimals": "2", "rounding": "up"}, 2.35),
        ("roundNumber", {"input": "1249", "decimals": "-2"}, 1200),
        ("roundNumber", {"input": "-2.1", "rounding": "down"}, -3),
        ("formatCurrency", {"input": "1234.5"}, "€1,234.50"),
        ("formatCurrency", {"input": "-1234.5", "toFormat": "1", "position": "after"}, "-1.234,50 €"),
        ("formatCurrency", {"input": "-3", "currency": "chf"}, "-CHF 3.00"),
        ("formatCurrency", {"input": "1234.5", "currency": "JPY"}, "¥1,235"),
        ("formatPercent", {"input": "0.1256", "decimals": "1"}, "12.6%"),
        ("formatBytes", {"input": "999"}, "999 B"),
        ("formatBytes", {"input": "1536000"}, "1.5 MB"),
        ("parseNumber", {"input": "1.234,50 €"}, 1234.5),
        ("parseNumber", {"input": "$1,234.50"}, 1234.5),
        ("parseNumber", {"input": "-12,5 %"}, -12.5),
        ("parseNumber", {"input": "1,234"}, 1234),
        ("parseNumber", {"input": "1,234", "inputDecimalMark": ","}, 1.234),
        ("parseNumber", {"input": "1.234.567"}, 1234567),
        ("parseNumber", {"input": "3.125"}, 3.125),
    ],
)
async def test_numbers_are_rounded_read_and_written(transform, fields, expected):
    assert await run("numbers", transform, **fields) == expected


@pytest.mark.parametrize("text", ["", "abc", "1-2", "..", "1e999"])
def test_a_text_without_a_number_is_reported(text):
    with pytest.raises(ValidationFailed, match="isn't a number"):
        numbers.parse_number(text if text != "1e999" else "-", "auto")


@pytest.mark.parametrize(
    ("transform", "fields", "expected"),
    [
        ("addTime", {"input": "2026-01-31", "amount": "1", "unit": "months"}, "2026-02-28T00:00:00+01:00"),
        (
            "addTime",
            {"input": "2026-03-28 12:00", "amount": "1", "unit": "days"},
            "2026-03-29T12:00:00+02:00",
        ),
        (
            "addTime",
            {"input": "2026-03-28 12:00", "amount": "24", "unit": "hours"},
            "2026-03-29T13:00:00+02:00",
        ),
        ("subtractTime", {"amount": "90", "unit": "minutes"}, "2026-03-02T11:30:00+01:00"),
        (
            "subtractTime",
            {
                "input": "31.12.2026",
                "fromFormat": "dd.MM.yyyy",
                "amount": "2",
                "unit": "weeks",
                "toFormat": "d.M.yy",
            },
            "17.12.26",
        ),
        ("dateDifference", {"input": "2026-01-01", "end": "2026-03-02", "unit": "days"}, 60),
        ("dateDifference", {"input": "2026-03-28", "end": "2026-03-30", "unit": "days"}, 2),
        ("dateDifference", {"input": "2026-03-28", "end": "2026-03-30", "unit": "hours"}, 47),
        ("dateDifference", {"input": "2025-05-31", "end": "2026-03-02", "unit": "months"}, 9),
        ("dateDifference", {"input": "2026-03-02", "end": "2025-03-01", "unit": "years"}, -1),
        (
            "dateDifference",
            {"input": "2026-03-02 12:00", "end": "2026-03-02 12:00:45", "unit": "minutes"},
            0.75,
        ),
        (
            "startOrEnd",
            {"input": "2026-05-20", "edge": "end", "period": "quarter"},
            "2026-06-30T23:59:59+02:00",
        ),
        (
            "startOrEnd",
            {"input": "2026-05-20", "edge": "start", "period": "week"},
            "2026-05-18T00:00:00+02:00",
        ),
        ("startOrEnd", {"input": "2026-12-20", "edge": "end", "period": "year"}, "2026-12-31T23:59:59+01:00"),
        (
            "startOrEnd",
            {"input": "2024-02-03", "edge": "end", "period": "month"},
            "2024-02-29T23:59:59+01:00",
        ),
    ],
)
async def test_dates_are_calculated_in_their_time_zone(transform, fields, expected):
    assert await run("date-time", transform, timezone="Europe/Vienna", **fields) == expected


async def test_a_date_is_taken_apart():
    parts = await run("date-time", "parseDate", input="2026-03-02T23:30:00Z", timezone="Europe/Vienna")

    assert parts["iso"] == "2026-03-03T00:30:00+01:00"
    assert (parts["weekdayName"], parts["week"], parts["quarter"], parts["dayOfYear"]) == (
        "Tuesday",
        10,
        1,
        62,
    )
    assert (await run("date-time", "parseDate"))["timestamp"] == NOON


@pytest.mark.parametrize(
    ("transform", "fields", "field"),
    [
        ("addTime", {"input": "soon", "amount": "1", "unit": "days"}, "input"),
        ("addTime", {"amount": "1.5", "unit": "days"}, "amount"),
        ("addTime", {"amount": "999999", "unit": "years"}, "amount"),
        ("dateDifference", {"input": "2026-01-01", "end": "soon", "unit": "days"}, "end"),
        ("addTime", {"amount": "1", "unit": "fortnights"}, "unit"),
    ],
)
async def test_a_date_or_amount_that_cannot_be_used_is_reported_at_its_field(transform, fields, field):
    with pytest.raises(ValidationFailed) as caught:
        await run("date-time", transform, **fields)

    assert list(caught.value.by_field) == [field]
