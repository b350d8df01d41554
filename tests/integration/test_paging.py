"""The `Link` header: its relations, and headers that are made to take long."""

import pytest

from patchbay.integration.paging import links_of
from patchbay.integration.request import Response

MEGABYTE = 1_000_000
"""Characters with which quadratic time would be hours."""


def links(header: str) -> dict[str, str]:
    response = Response(
        status=200, reason="OK", headers={"link": header}, content=b"", url="https://a.example/"
    )
    return links_of(response)


@pytest.mark.parametrize(
    ("header", "found"),
    [
        ("", {}),
        ("no address", {}),
        ('</2>; rel="next"', {"next": "/2"}),
        ('</2>; REL=Next, </9>; title="the <last> one"; rel="last"', {"next": "/2", "last": "/9"}),
        ('</2>; rel="next last", </3>; rel="next"', {"next": "/2", "last": "/2"}),
        ("</a,b;c>; rel=next", {"next": "/a,b;c"}),
        ("</2", {}),
        ("</2>", {}),
    ],
)
def test_addresses_are_found_by_relation(header, found):
    assert links(header) == found


@pytest.mark.parametrize("part", ["<", '"', '<>""', "<>", "<>;", ";", "<a>; rel=b, ", "<;rel=", "<>;rel= "])
def test_a_header_of_a_megabyte_is_read_in_linear_time(part):
    assert links(part * (MEGABYTE // len(part)) + '</2>; rel="next"')["next"] == "/2"
