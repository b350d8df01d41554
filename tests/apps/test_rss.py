"""Feeds: formats, order, malformed documents, and hostile ones."""

import pytest
from tests.support.app_calls import items_of
from tests.support.third_party import Reply, third_party

from patchbay.apps.rss.feeds import read_feed
from patchbay.domain.errors import ThirdPartyError, ValidationFailed

URL = "https://example.com/feed"
RSS = """<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel><title>News</title><link>https://example.com</link>
<item><title>Older</title><link>/1</link><guid isPermaLink="false">a-1</guid>
<pubDate>Mon, 02 Mar 2026 08:00:00 +0100</pubDate><category domain="x">one</category><category>two</category>
<dc:creator>Ada</dc:creator><content:encoded><![CDATA[<p>Hi &nbsp; there</p>]]></content:encoded>
<enclosure url="https://example.com/1.mp3" type="audio/mpeg" length="5"/></item>
<item><title>Newer</title><link>https://example.com/2</link><guid>a-2</guid>
<description>Text</description><pubDate>Mon, 02 Mar 2026 08:30:00 +0100</pubDate></item>
</channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><title>Blog</title>
<entry><id>urn:1</id><title type="html">A &amp;amp; B</title><updated>2026-03-02T08:00:00Z</updated>
<link rel="edit" href="/edit/1"/><link href="/posts/1"/><author><name>Ada</name></author>
<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">One <b>bold</b> &lt;word&gt;</div></content>
</entry></feed>"""
RDF = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
 xmlns:dc="http://purl.org/dc/elements/1.1/"><channel rdf:about="https://example.com"><title>Site</title></channel>
<item rdf:about="https://example.com/a"><title>A</title><link>https://example.com/a</link>
<dc:date>2026-03-02</dc:date></item></rdf:RDF>"""


def read(document: str | bytes, charset: str = "") -> list:
    found = read_feed(document.encode() if isinstance(document, str) else document, charset, URL)
    assert found is not None
    return found


def test_items_of_rss_are_sorted_by_date_and_have_common_names():
    (newer, newer_id), (older, older_id) = read(RSS)

    assert (newer_id, older_id) == ("a-2", "a-1")
    assert newer["description"] == "Text"
    assert older["link"] == "https://example.com/1"
    assert older["description"] == "<p>Hi &nbsp; there</p>"
    assert older["category"] == ["one", "two"]
    assert older["author"] == "Ada"
    assert older["enclosure"] == {"url": "https://example.com/1.mp3", "type": "audio/mpeg", "length": "5"}


def test_entries_of_atom_have_the_same_names():
    ((entry, internal_id),) = read(ATOM)

    assert internal_id == entry["guid"] == "urn:1"
    assert (entry["title"], entry["author"]) == ("A &amp; B", "Ada")
    assert entry["link"] == "https://example.com/posts/1"
    assert entry["pubDate"] == "2026-03-02T08:00:00Z"
    assert entry["description"] == entry["content"] == "One <b>bold</b> &lt;word&gt;"


def test_items_of_rdf_are_identified_by_their_address():
    ((item, internal_id),) = read(RDF)

    assert internal_id == "https://example.com/a"
    assert (item["title"], item["pubDate"]) == ("A", "2026-03-02")


def test_items_without_an_id_are_recognized_although_their_text_changes():
    def internal_id(text: str) -> str:
        return read(
            f"<rss><channel><item><title>A</title><description>{text}</description></item></channel></rss>"
        )[0][1]

    assert internal_id("one") == internal_id("two")


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Caf&eacute;&nbsp;&copy;", "Café\xa0©"),
        ("AT&T & Co &amp; more &#8212; &lt;b>", "AT&T & Co & more — <b>"),
        ("bell\x07", "bell"),
        ("<![CDATA[a & b &nbsp;]]>&eacute;", "a & b &nbsp;é"),
    ],
)
def test_malformed_feeds_are_repaired(title, expected):
    ((item, _),) = read(f"<rss><channel><item><title>{title}</title></item></channel></rss>")

    assert item["title"] == expected


@pytest.mark.parametrize(
    ("declaration", "encoding", "charset"),
    [
        ("", "utf-8", ""),
        ("<?xml version='1.0' encoding='windows-1252'?>", "cp1252", ""),
        ('<?xml version="1.0" encoding="utf-8"?>', "latin-1", "iso-8859-1"),
        ('<?xml version="1.0" encoding="UTF-16"?>', "utf-16", ""),
        ('<?xml version="1.0"?>', "utf-8-sig", "iso-8859-1"),
    ],
)
def test_feeds_are_decoded_by_mark_header_and_declaration(declaration, encoding, charset):
    feed = f"{declaration}<rss><channel><item><title>Café</title></item></channel></rss>"

    assert read(feed.encode(encoding), charset)[0][0]["title"] == "Café"


def test_a_document_type_is_ignored_and_its_entities_are_not_expanded():
    entities = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 9))
    document_type = f'<!DOCTYPE rss [<!ENTITY l0 "ha">{entities}]>'
    feed = f"{document_type}<rss><channel><item><title>&l8;</title></item></channel></rss>"

    assert read(feed)[0][0]["title"] == "&l8;"


@pytest.mark.parametrize("document", ["", "<html><body>Hi</body></html>", "{}", "<rss><channel>", "\0" * 50])
def test_anything_else_is_no_feed(document):
    assert read_feed(document.encode(), "", URL) is None


def test_deeply_nested_elements_become_their_text():
    nested = "<x>" * 5000 + "deep" + "</x>" * 5000

    ((item, _),) = read(f"<rss><channel><item><guid>1</guid>{nested}</item></channel></rss>")

    assert "deep" in str(item["x"])


def test_html_that_is_not_escaped_stays_html():
    ((item, _),) = read(
        "<rss><channel><item><description>A <b>b</b> &amp; c</description></item></channel></rss>"
    )

    assert item["description"] == "A <b>b</b> &amp; c"


async def test_the_trigger_skips_items_it_has_seen_wherever_they_are():
    async def find_seen(internal_ids):
        return frozenset(internal_ids) & {"a-2"}

    async with third_party(Reply(body=RSS, headers={"Content-Type": "application/rss+xml"})) as site:
        items = await items_of(
            "rss",
            "newItemsInFeed",
            {"feedUrl": f" {site.url}/feed "},
            known_ids=frozenset({"a-2"}),
            find_seen_ids=find_seen,
        )

        assert "application/rss+xml" in site.seen[0].headers["accept"]
    assert [item.internal_id for item in items] == ["a-1"]


async def test_a_web_page_is_reported():
    async with third_party(Reply(body="<html><title>Hello</title></html>")) as site:
        with pytest.raises(ThirdPartyError, match="unexpected response"):
            await items_of("rss", "newItemsInFeed", {"feedUrl": site.url})


@pytest.mark.parametrize("address", ["", "ftp://example.com/feed", "file:///etc/passwd"])
async def test_an_invalid_address_is_reported(address):
    with pytest.raises(ValidationFailed):
        await items_of("rss", "newItemsInFeed", {"feedUrl": address})
