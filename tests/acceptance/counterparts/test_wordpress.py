"""WordPress, from Debian's packages: a published post creates a draft.

Patchbay's address has no https here, as on a computer at home, so an application password is entered.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from tests.support import flow_files as files
from tests.support.served_app_tests import FLOW, ServedAppTests
from tests.support.wordpress import LOGIN, WordPress, why_missing, wordpress

pytestmark = [
    pytest.mark.acceptance,
    pytest.mark.timeout(600),
    pytest.mark.skipif(bool(why_missing()), reason=why_missing()),
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WordPress]:
    with wordpress(tmp_path_factory.mktemp("wordpress")) as running:
        yield running


class TestWordPress(ServedAppTests):
    app = "wordpress"
    rejection = "401"
    bad = {"password": "aaaa BBBB cccc DDDD eeee FFFF"}

    def name(self, server):
        return f"{LOGIN} @ {server.address}"

    def fields(self, server):
        return {"instanceUrl": server.address, "signIn": "password", "userLogin": LOGIN}

    def good(self, server):
        return {"password": server.new_password()}

    @contextmanager
    def withdrawn(self, server):
        server.revoke_passwords()
        yield

    def test_the_site_returns_from_a_sign_in_in_the_browser_only_to_addresses_with_https(self, server):
        assert server.may_return_to("https://patchbay.example.com/callback") is True
        assert server.may_return_to("http://127.0.0.1:1234/callback") is (server.version >= (7, 0))

    def test_a_revoked_password_fails_the_trigger_although_visitors_can_read_the_post(self, patchbay, server):
        self.connected(patchbay, server)
        patchbay.publish(FLOW, self.trigger(server), self.action(server))

        with self.withdrawn(server):
            server.publish("Seen by everyone")
            [execution] = patchbay.polled(FLOW)

        [connection] = patchbay.connections()
        assert execution["status"] == "failure"
        assert "401" in execution["note"]
        assert connection["health"] == "needs_attention"

    def trigger(self, server):
        return files.step("wordpress", "newPost", status="publish")

    def action(self, server):
        title = "Translate: {{step.#1.title.rendered}}"
        return files.step("wordpress", "createPost", title=title, content="<p>To do</p>", status="draft")

    def happen(self, server):
        server.publish("Neue Öffnungszeiten")

    def check_effect(self, server, trigger, action):
        created = server.post(action["id"])
        assert trigger["title"]["rendered"] == "Neue Öffnungszeiten"
        assert created["post_title"] == "Translate: Neue Öffnungszeiten"
        assert (created["post_status"], created["post_content"]) == ("draft", "<p>To do</p>")
