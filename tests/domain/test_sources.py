"""Which sources are the same, and ids that stay apart."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patchbay.domain.base import AppKey, ConnectionId
from patchbay.domain.trigger_sources import TriggerSource, source_id_of_stored, source_number, stored_id

HERE = TriggerSource(
    app_key=AppKey("mail"),
    key="newMail",
    connection_id=ConnectionId("c1"),
    account="ada",
    address={"host": "a.example"},
    names={"folder": "INBOX"},
)
PLACES = st.integers(min_value=1, max_value=30)
IDS = st.one_of(
    st.text(max_size=12),
    st.builds(lambda place, rest: f"source-{place}/{rest}", PLACES, st.text(max_size=4)),
)


@given(PLACES, IDS, PLACES, IDS)
def test_no_two_ids_of_any_sources_are_kept_alike(place, internal_id, other_place, other_id):
    alike = stored_id(place, internal_id) == stored_id(other_place, other_id)

    assert alike == ((place, internal_id) == (other_place, other_id))


@given(PLACES, IDS, PLACES)
def test_a_kept_id_leads_back_to_the_given_one_for_its_own_source_alone(place, internal_id, other):
    kept = stored_id(place, internal_id)

    assert source_id_of_stored(other, kept) == (internal_id if other == place else None)


@pytest.mark.parametrize("internal_id", ["1", "at-1700000000000", "7:12", "https://a.example/1", ""])
def test_ids_of_the_first_source_are_kept_as_they_are(internal_id):
    assert stored_id(1, internal_id) == internal_id


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"connection_id": "c2"},
        {"address": {"host": "b.example"}},
        {"account": None},
        {"names": {}},
        {"names": {"folder": "INBOX", "box": "1"}},
    ],
)
def test_the_same_source(change):
    other = HERE.model_copy(update=change)

    assert HERE.is_same_source(other)
    assert other.is_same_source(HERE)


@pytest.mark.parametrize(
    "change",
    [
        {"app_key": "post"},
        {"key": "newFolder"},
        {"account": "bob"},
        {"names": {"folder": "Archive"}},
        {"connection_id": "c2", "account": "bob"},
        {"connection_id": "c2", "account": None},
        {"connection_id": "c2", "address": {"host": "b.example"}},
        {"connection_id": None, "account": None},
    ],
)
def test_another_source(change):
    other = HERE.model_copy(update=change)

    assert not HERE.is_same_source(other)
    assert not other.is_same_source(HERE)


def test_a_source_has_the_place_where_it_came_first():
    other = HERE.model_copy(update={"names": {"folder": "Archive"}})

    assert [source_number(one, (HERE, other)) for one in (HERE, other)] == [1, 2]
    assert source_number(other, (HERE,)) == 2
    assert source_number(HERE, ()) == 1
