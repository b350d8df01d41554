"""RSS from a file server, Python's own: a new article in a feed is fetched. Feeds have no credentials."""

from collections.abc import Iterator

import pytest
from tests.support import flow_files as files
from tests.support.feeds import rss_feed
from tests.support.file_server import FileServer, file_server
from tests.support.served_app import ServedApp

pytestmark = pytest.mark.acceptance


@pytest.fixture
def server(tmp_path) -> Iterator[FileServer]:
    with file_server(tmp_path) as running:
        yield running


@pytest.fixture
def patchbay(tmp_path) -> ServedApp:
    return ServedApp(tmp_path)


def fetching_new_articles(feed: str) -> list[files.Document]:
    new_item = files.step("rss", "newItemsInFeed", feedUrl=feed)
    return [new_item, files.request("GET", "{{step.#1.link}}")]


def test_a_new_article_starts_one_run_that_fetches_its_page(patchbay, server):
    old, new = {"old.html": "Old news"}, {"new.html": "Grüße & Küsse"}
    server.write("new.html", "<h1>All of it</h1>")
    feed = server.write("feed.xml", rss_feed(server.address, old))
    patchbay.publish("News", *fetching_new_articles(feed))

    server.write("feed.xml", rss_feed(server.address, new | old))
    [execution] = patchbay.polled("News")

    steps = execution["steps"]
    assert [step["status"] for step in steps] == ["success", "success"]
    assert steps[0]["dataOut"]["title"] == "Grüße & Küsse"
    assert steps[1]["dataOut"]["data"] == "<h1>All of it</h1>"
    fetched = server.requests()
    assert fetched.count("GET /new.html") == 1
    assert "GET /old.html" not in fetched


def test_a_feed_that_is_missing_is_reported_before_the_flow_is_published(patchbay, server):
    document = files.flow("News", *fetching_new_articles(f"{server.address}/none.xml"))
    file = files.write(patchbay.folder / "news.json", document)

    done = patchbay.command("flow", "import", file, "--publish", "--json")

    assert done.code == 1
    assert "404" in done.err
    assert done.json[0]["published"] is False
