"""llama.cpp's OpenAI-compatible server, from PyPI: a new article in a feed is sent to a language model.

The app has no trigger of its own.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import pytest
from tests.support import flow_files as files
from tests.support.feeds import rss_feed
from tests.support.file_server import FileServer, file_server
from tests.support.llama_server import KEY, LLAMA, MODEL, LlamaServer, llama_server
from tests.support.served_app_tests import ServedAppTests

pytestmark = [
    pytest.mark.acceptance,
    pytest.mark.skipif(bool(LLAMA.why_missing()), reason=LLAMA.why_missing()),
]

TOKENS = 8


class Services(NamedTuple):
    llama: LlamaServer
    site: FileServer
    feed: str


@pytest.fixture
def server(tmp_path) -> Iterator[Services]:
    with llama_server(tmp_path) as llama, file_server(tmp_path) as site:
        yield Services(llama, site, site.write("feed.xml", rss_feed(site.address, {})))


class TestSelfHostedLlm(ServedAppTests):
    app = "self-hosted-llm"
    screen_name = "Tiny"
    rejection = "Invalid API Key"
    bad = {"apiKey": "sk-bad-0987654321"}

    def fields(self, server):
        return {"screenName": self.screen_name, "apiUrl": f"{server.llama.address}/v1"}

    def good(self, server):
        return {"apiKey": KEY}

    @contextmanager
    def withdrawn(self, server):
        server.llama.stop()
        server.llama.start("another-key-1")
        yield

    def test_the_dropdown_lists_the_loaded_model(self, patchbay, server):
        self.connected(patchbay, server)

        assert patchbay.options(files.step(self.app, "sendPrompt"), "listModels") == {MODEL: MODEL}

    def trigger(self, server):
        return files.step("rss", "newItemsInFeed", feedUrl=server.feed)

    def action(self, server):
        prompt = {"prompt": "Summarise: {{step.#1.title}}", "maxTokens": str(TOKENS), "temperature": "0"}
        return files.step("self-hosted-llm", "sendPrompt", model=MODEL, **prompt)

    def happen(self, server):
        server.site.write("feed.xml", rss_feed(server.site.address, {"new.html": "Grüße"}))

    def check_effect(self, server, trigger, action):
        assert trigger["title"] == "Grüße"
        assert server.llama.written_tokens() == TOKENS
        assert action["usage"]["completion_tokens"] == TOKENS
        assert action["choices"][0]["text"] == server.llama.complete("Summarise: Grüße", TOKENS)
