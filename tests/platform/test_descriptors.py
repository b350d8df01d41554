"""The limit of open files is raised as far as it goes, and callers get their part of it."""

import sys

import pytest

from patchbay.platform.process_limits import raise_open_files_limit
from patchbay.server.connection_limits import DEFAULT_LIMITS, limits_for


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such limit")
def test_a_low_limit_is_raised_and_a_high_one_stays():
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (200, hard))
    try:
        raised = raise_open_files_limit(300)
        kept = raise_open_files_limit(250)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

    assert (raised, kept) == (300, 300)


def test_callers_get_a_part_of_what_there_is_and_leave_the_rest():
    assert [limits_for(number).connections for number in (None, 4096, 256, 100, 20)] == [
        DEFAULT_LIMITS.connections,
        DEFAULT_LIMITS.connections,
        156,
        39,
        8,
    ]
    assert limits_for(256, listeners=3).connections == 52


@pytest.mark.parametrize("descriptors", [None, 4096, 256, 100, 20])
def test_webhooks_leave_connections_to_the_interface(descriptors):
    limits = limits_for(descriptors)

    assert 2 * limits.max_webhooks < limits.connections
