"""Every operation of the Backend, in this process and behind the real server: the same results and errors."""

import inspect

import pytest
from tests.support.homes import local_home, remote_home
from tests.support.stories import (
    STORIES,
    Story,
    access,
    connections,
    engine,
    executions,
    flow_running,
    flows,
    hosting,
    organise,
    people,
    runs,
    secrets,
    sign_ins,
    step_trees,
    steps,
    workspace,
)
from tests.support.teller import Teller

from patchbay.domain.backend import Backend

CHAPTERS = (
    access, connections, engine, executions, flow_running, flows, hosting, organise, people, runs, secrets,
    sign_ins,
    step_trees, steps, workspace,
)  # fmt: skip


@pytest.mark.parametrize("told", STORIES, ids=lambda told: told.name)
async def test_both_homes_tell_the_same_story(told: Story, tmp_path):
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    async with local_home(here) as home:
        local = Teller(home)
        await told.tell(local)
    async with remote_home(there) as home:
        remote = Teller(home)
        await told.tell(remote)

    assert remote.lines == local.lines
    assert remote.called <= told.covers


def test_every_operation_of_the_backend_is_told():
    operations = {name for name, member in inspect.getmembers(Backend, inspect.isfunction) if name[0] != "_"}

    told = set().union(*(story.covers for story in STORIES))

    assert told == operations
