"""Every text transform, through the action a flow would use."""

import time
from html.parser import HTMLParser
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.app_calls import act, built_in, built_in_action, context

from patchbay.apps.formatter.transforms.markup import html_to_markdown, html_to_text
from patchbay.domain.base import AppKey
from patchbay.domain.errors import ValidationFailed
from patchbay.domain.fields import missing_required


async def text(transform: str, given: object = None, **more: Any) -> Any:
    result = await act("formatter", "text", {"transform": transform, "input": given, **more})
    return result["output"]


@pytest.mark.parametrize(
    ("transform", "given", "wanted"),
    [
        ("base64ToString", "aMOpbGxv", "héllo"),
        ("base64ToString", "aMOp bGxv\n", "héllo"),
        ("base64ToString", "_-8_", None),
        ("base64ToString", "Pz8_", "???"),
        ("base64ToString", "YQ", "a"),
        ("base64ToString", "", ""),
        ("stringToBase64", "héllo", "aMOpbGxv"),
        ("stringToBase64", "", ""),
        ("capitalize", "hello big-city world", "Hello Big-City World"),
        ("capitalize", "don't (stop) ÉTÉ élan", "Don't (Stop) Été Élan"),
        ("capitalize", "WORLD o’neil 2ND", "World O’neil 2nd"),
        ("capitalize", "line\nbreak", "Line\nBreak"),
        ("lowercase", "ÄB c", "äb c"),
        ("trimWhitespace", " \t a b \n", "a b"),
        ("encodeUri", "https://x.example/a b?q=é&r=1#t", "https://x.example/a%20b?q=%C3%A9&r=1#t"),
        ("encodeUriComponent", "a b&c=d/é!~*'()", "a%20b%26c%3Dd%2F%C3%A9!~*'()"),
        ("extractEmailAddress", "Write to <ann.b+x@mail.example>, or bob@x.de.", "ann.b+x@mail.example"),
        ("extractEmailAddress", "nobody@ here @there a@b", ""),
        ("extractNumber", "Order 42, please", "42"),
        ("extractNumber", "it costs -1,234.50 EUR", "-1,234.50"),
        ("extractNumber", "v1.2.3 has 7", "1.2.3"),
        ("extractNumber", "das sind 1.234.567,89.", "1.234.567,89"),
        ("extractNumber", "none", ""),
        ("extractNumber", "1,23 or so", "1,23"),
        ("parseStringifiedJson", '{"a": [1, null]}', {"a": [1, None]}),
        ("parseStringifiedJson", "12", 12),
        ("htmlToMarkdown", "<h1>Hi</h1><b>bold</b> <a href='u'>go</a>", "# Hi\n\n**bold** [go](u)"),
        ("htmlToMarkdown", "<ul><li>a</li><li>b</li></ul>", "- a\n- b"),
        ("markdownToHtml", "# Hi\n\nA **bold** one", "<h1>Hi</h1>\n<p>A <strong>bold</strong> one</p>"),
        ("markdownToHtml", "~~old~~", "<p><s>old</s></p>"),
        ("htmlToMarkdown", "", ""),
        ("htmlToText", "Ada&#8217;s notes &#038; tables: 5 < 6, a_b", "Ada’s notes & tables: 5 < 6, a_b"),
        ("htmlToText", "<h1>Hi</h1>\n<b>bold</b>\n <a href='u'>go</a><br>on", "Hi\n\nbold go\non"),
        ("htmlToText", "<ul><li>a</li><li>b</li></ul><table><tr><td>1<td>2</table>", "- a\n- b\n\n1 2"),
        ("htmlToText", "<head><title>No</title></head><style>p {}</style><p>Yes<!-- no --></p>", "Yes"),
        ("htmlToText", "<html><head><title>x</title><body>Hello</body></html>", "Hello"),
        (
            "htmlToText",
            "<head><meta name=a><title>a <b>x</title>Hello<title></title> you",
            "Hello you",
        ),
        ("htmlToText", "<title><title>x</title>Hello</title> you", "Hello you"),
        ("htmlToText", "a <b", "a <b"),
        ("htmlToText", 'a <a href="x>b</a> &amp; <p>c', "a b & c"),
        ("htmlToText", "a &amp; b &am", "a & b &am"),
        ("htmlToText", "a <!-- b <p>c</p>", "a"),
        ("htmlToText", "a <script>b <i>c</i>", "a"),
        ("htmlToMarkdown", "<b>a</b> <b", r"**a** <b"),
        ("htmlToMarkdown", "<b>a</b> <!-- b <p>c</p>", "**a**"),
        ("htmlToText", "", ""),
        ("markdownToHtml", "", ""),
    ],
)
async def test_text_transforms(transform, given, wanted):
    if wanted is None:
        with pytest.raises(ValidationFailed):
            await text(transform, given)
    else:
        assert await text(transform, given) == wanted


@pytest.mark.parametrize(
    ("word", "plural"),
    [
        ("apple", "apples"),
        ("apples", "apples"),
        ("box", "boxes"),
        ("city", "cities"),
        ("day", "days"),
        ("church", "churches"),
        ("bus", "buses"),
        ("glass", "glasses"),
        ("person", "people"),
        ("Person", "People"),
        ("PERSON", "PEOPLE"),
        ("people", "people"),
        ("child", "children"),
        ("salesman", "salesmen"),
        ("human", "humans"),
        ("sheep", "sheep"),
        ("leaf", "leaves"),
        ("roof", "roofs"),
        ("potato", "potatoes"),
        ("photo", "photos"),
        ("analysis", "analyses"),
        ("mouse", "mice"),
        ("quiz", "quizzes"),
        ("query", "queries"),
        ("new invoice", "new invoices"),
        ("New Box!", "New Boxes!"),
        ("soliloquy", "soliloquies"),
        ("", ""),
        ("123", "123"),
        ("ID", "IDS"),
        ("grandchild", "grandchildren"),
        ("I", "Is"),
    ],
)
async def test_pluralize(word, plural):
    assert await text("pluralize", word) == plural


async def test_create_uuid_gives_a_new_one_each_time():
    one, other = await text("createUuid"), await text("createUuid")

    assert UUID(one).version == 4
    assert one != other


@pytest.mark.parametrize(
    ("given", "wanted"),
    [("", "none"), ("  \n", "none"), (None, "none"), ("0", "0"), ("text", "text"), (False, "false")],
)
async def test_use_default_value(given, wanted):
    assert await text("useDefaultValue", given, defaultValue="none") == wanted


@pytest.mark.parametrize(
    ("source", "more", "wanted"),
    [
        ("a.b.c", {"find": ".", "replace": "-"}, "a-b-c"),
        ("a.b", {"find": "", "replace": "-"}, "a.b"),
        ("a.b", {"find": "b"}, "a."),
        ("Ann Bee", {"find": r"(\w+) (\w+)", "replace": "$2, $1", "useRegex": True}, "Bee, Ann"),
        ("Ann Bee", {"find": r"(?<first>\w+) \w+", "replace": "$<first>!", "useRegex": "true"}, "Ann!"),
        ("5", {"find": r"\d", "replace": "$$$&", "useRegex": True}, "$5"),
        ("x", {"find": "x", "replace": "$7 \\1", "useRegex": True}, "$7 \\1"),
        ("aA", {"find": "a", "replace": "b", "useRegex": True}, "bA"),
        ("aA", {"find": "a", "replace": "b", "useRegex": True, "ignoreCase": True}, "bb"),
        ("a1b", {"find": "(z)?1", "replace": "[$1]", "useRegex": True}, "a[]b"),
    ],
)
async def test_replace(source, more, wanted):
    assert await text("replace", source, **more) == wanted


@pytest.mark.parametrize(
    "pattern", ["(", "[z-a]", "a{1000}{1000}", "((a{1000}){1000}){1000}", "x" * 501, "(?P<1>a)"]
)
async def test_a_pattern_that_cannot_be_used_is_reported(pattern):
    with pytest.raises(ValidationFailed, match="pattern"):
        await text("replace", "text", find=pattern, replace="", useRegex=True)


async def test_a_pattern_that_would_hang_is_given_up_after_a_second():
    started = time.monotonic()

    with pytest.raises(ValidationFailed, match="more than 1 second"):
        await text("replace", "x" * 5000 + "!", find="(x+x+)+y", replace="", useRegex=True)

    assert time.monotonic() - started < 30


@pytest.mark.parametrize("given", ["{", "{'a': 1}", "", "[" * 100_000])
async def test_invalid_json_is_reported(given):
    with pytest.raises(ValidationFailed, match="JSON"):
        await text("parseStringifiedJson", given)


@pytest.mark.parametrize("given", ["a b c d!", "äöü=", "YWJj*"])
async def test_what_is_no_base64_is_reported(given):
    with pytest.raises(ValidationFailed, match="base64"):
        await text("base64ToString", given)


@pytest.mark.parametrize("convert", [html_to_text, html_to_markdown])
@pytest.mark.parametrize("tag", ["<a ", "</a ", '<a x="', "<!--", "<?x", "<![CDATA[", "<!x "])
def test_unfinished_tags_are_read_once(monkeypatch, convert, tag):
    searches = []

    def count(name):
        original = getattr(HTMLParser, name)

        def counted(parser, position, *more):
            searches.append(position)
            return original(parser, position, *more)

        monkeypatch.setattr(HTMLParser, name, counted)

    for name in ("parse_starttag", "parse_endtag", "parse_comment", "parse_pi", "parse_html_declaration"):
        count(name)

    result = convert(f"<p>Hello</p>{tag * 1000}")

    assert result.startswith("Hello")
    assert len(searches) <= 10


async def test_deeply_nested_html_does_no_harm():
    with pytest.raises(ValidationFailed, match="nested too deeply"):
        await text("htmlToMarkdown", "<div>" * 20_000)
    assert await text("htmlToText", "<div>" * 20_000 + "deep") == "deep"


@given(st.text())
def test_base64_goes_there_and_back(source):
    from importlib import import_module

    coding = import_module("patchbay.apps.formatter.transforms.coding")

    assert coding.base64_to_string(coding.string_to_base64(source)) == source


@given(st.text(max_size=60))
def test_words_never_fail(source):
    from importlib import import_module

    words = import_module("patchbay.apps.formatter.transforms.word_forms")

    assert isinstance(words.pluralize(source), str)
    assert words.capitalize(source).casefold() == source.casefold()


@given(st.text(max_size=200))
def test_finding_never_fails(source):
    from importlib import import_module

    finding = import_module("patchbay.apps.formatter.transforms.find_replace")

    finding.extract_number(source)
    assert finding.extract_email_address(source) in source


async def test_an_unknown_transform_is_reported():
    with pytest.raises(ValidationFailed, match="Choose a transform"):
        await text("rot13", "x")


async def fields_of(loader: str, **parameters: Any) -> list[str]:
    found = (
        await built_in().dynamic_fields(AppKey("formatter"), loader).load(context("formatter", parameters))
    )
    return [argument.key for argument in found]


@pytest.mark.parametrize("action", ["text", "numbers", "date-time"])
async def test_every_transform_offered_has_its_inputs(action):
    dropdown = built_in_action("formatter", action).arguments[0]
    loader = built_in().dynamic_fields(AppKey("formatter"), dropdown.additional_fields.loader)

    for option in dropdown.options:
        ctx = context("formatter", {"transform": option.value})
        arguments = tuple(await loader.load(ctx))
        assert len({argument.key for argument in arguments}) == len(arguments)
        assert all(item in arguments for item in missing_required(arguments, {}))


async def test_a_transform_brings_its_own_inputs():
    assert await fields_of("listTransformOptions", transform="replace") == [
        "input",
        "find",
        "replace",
        "useRegex",
    ]
    assert await fields_of("listTransformOptions", transform="createUuid") == []
    assert await fields_of("listTransformOptions") == []
    assert await fields_of("listReplaceRegexOptions", useRegex=True) == ["ignoreCase"]
    assert await fields_of("listReplaceRegexOptions", useRegex=False) == []
