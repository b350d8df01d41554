"""UUIDs as text."""

from uuid import RFC_4122, UUID

from patchbay.domain.uuid_text import random_uuid_text, uuid_text


def test_the_text_is_that_of_the_standard_library():
    for number in (0, 1, 0x0123456789ABCDEF0123456789ABCDEF, (1 << 128) - 1):
        assert uuid_text(number) == str(UUID(int=number))


def test_random_ones_are_of_version_4_and_differ():
    texts = {random_uuid_text() for _ in range(100)}

    assert len(texts) == 100
    assert {(UUID(text).version, UUID(text).variant) for text in texts} == {(4, RFC_4122)}
    assert all(str(UUID(text)) == text for text in texts)
