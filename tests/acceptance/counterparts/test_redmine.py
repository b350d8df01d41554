"""Redmine, from Debian's packages: a new issue in one project creates an issue in another."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from tests.support import flow_files as files
from tests.support.redmine import Redmine, missing, redmine
from tests.support.served_app_tests import ServedAppTests

pytestmark = [
    pytest.mark.acceptance,
    pytest.mark.timeout(600),
    pytest.mark.skipif(bool(missing()), reason=missing()),
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Redmine]:
    with redmine(tmp_path_factory.mktemp("redmine")) as running:
        yield running


class TestRedmine(ServedAppTests):
    app = "redmine"
    screen_name = "grace at 127.0.0.1"
    rejection = "401"
    bad = {"apiKey": "0123456789abcdef"}

    def fields(self, server):
        return {"instanceUrl": server.address}

    def good(self, server):
        return {"apiKey": server.new_key("grace")}

    @contextmanager
    def withdrawn(self, server):
        server.withdraw_key("grace")
        yield

    def trigger(self, server):
        return files.step("redmine", "newIssue", projectId=server.project("website"))

    def action(self, server):
        return files.step(
            "redmine",
            "createIssue",
            projectId=server.project("website"),
            trackerId=server.id_of("trackers", "Feature"),
            priorityId=server.id_of("issue_priorities", "Urgent"),
            subject="Follow up {{step.#1.subject}}",
        )

    def happen(self, server):
        server.create_issue(project_id=server.project("website"), subject="Till is stuck")

    def check_effect(self, server, trigger, action):
        created = server.issue(action["id"])
        assert trigger["subject"] == "Till is stuck"
        assert created["subject"] == "Follow up Till is stuck"
        assert created["author"]["name"] == "Grace Hopper"
        assert (created["tracker"]["name"], created["priority"]["name"]) == ("Feature", "Urgent")
