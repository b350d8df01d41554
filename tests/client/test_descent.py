"""Reading down a list that grows at the top and shrinks anywhere, page by page."""

from hypothesis import given
from hypothesis import strategies as st

from patchbay.client.history import DescendingPager

SIZE = 3
CHANGE = st.tuples(st.integers(0, 4), st.lists(st.integers(0, 30), max_size=4))
"""How many rows come in at the top, and which are deleted."""


@given(length=st.integers(0, 30), changes=st.lists(CHANGE, max_size=15))
def test_nothing_that_stays_is_skipped(length, changes):
    rows = list(range(length))
    at_first = set(rows)
    read = set()
    number = -1
    descent = DescendingPager(size=SIZE)
    pending = iter(changes)
    for _ in range(200):
        start = (descent.page - 1) * SIZE
        page = rows[start : start + SIZE]
        read.update(page)
        descent.record_page(descent.page, len(page), len(rows))
        if descent.done:
            break
        new, deleted = next(pending, (0, []))
        for _ in range(new):
            rows.insert(0, number)
            number -= 1
        for place in deleted:
            if place < len(rows):
                del rows[place]

    assert descent.done
    assert at_first & set(rows) <= read


@given(length=st.integers(0, 60))
def test_a_list_that_rests_is_read_with_one_question_a_page(length):
    descent, asked = DescendingPager(size=SIZE), 0
    while not descent.done:
        start = (descent.page - 1) * SIZE
        descent.record_page(descent.page, len(range(length)[start : start + SIZE]), length)
        asked += 1

    assert asked == max(1, -(-length // SIZE))


@given(length=st.integers(1, 60), read=st.integers(1, 10), new=st.integers(0, 20))
def test_it_continues_later_from_what_was_left(length, read, new):
    before = DescendingPager(size=SIZE)
    for _ in range(read):
        start = (before.page - 1) * SIZE
        before.record_page(before.page, len(range(length)[start : start + SIZE]), length)

    again = DescendingPager(before.left, length + new, size=SIZE)

    assert again.left == before.left == max(0, length - read * SIZE)
    assert again.done or (again.page - 1) * SIZE <= length + new - again.left
