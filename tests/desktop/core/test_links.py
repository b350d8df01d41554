"""Links of the form patchbay://…: a few places, and nothing else."""

import pytest

from patchbay.desktop.core.links import MAX_LENGTH, is_link, place_of_link
from patchbay.desktop.core.navigation import Place, Tab


@pytest.mark.parametrize(
    ("link", "place"),
    [
        ("patchbay://flows", Place(Tab.FLOWS)),
        ("patchbay://executions/", Place(Tab.EXECUTIONS)),
        ("PATCHBAY://Templates", Place(Tab.TEMPLATES)),
        ("patchbay://apps/todoist", Place(Tab.MY_APPS, id="todoist")),
        ("patchbay://flows/0a-1", Place(Tab.FLOWS, id="0a-1", section="editor")),
        ("patchbay://executions/0a-1", Place(Tab.EXECUTIONS, id="0a-1")),
    ],
)
def test_a_link_opens_a_place(link, place):
    assert is_link(link)
    assert place_of_link(link) == place


@pytest.mark.parametrize(
    "link",
    [
        "patchbay:flows",
        "patchbay://",
        "patchbay://engine/pause",
        "patchbay://flows/0a-1/publish",
        "patchbay://flows/..%2F..%2Fetc",
        "patchbay://flows/0a-1?run=1",
        "patchbay://flows#x",
        "patchbay://folders/1",
        "patchbay://user@flows",
        "patchbay://[flows",
        "https://flows",
        "patchbay://flows/" + "a" * MAX_LENGTH,
    ],
)
def test_every_other_link_opens_nothing(link):
    assert place_of_link(link) is None
