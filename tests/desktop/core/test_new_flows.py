"""The names of new flows."""

from tests.support.fake_backend import FakeBackend

from patchbay.desktop.core.new_flows import create_new_flow, is_default_name, new_flow_name
from patchbay.domain.backend import Capabilities, Feature
from patchbay.domain.flows import DEFAULT_FLOW_NAME


def test_a_name_that_is_taken_gets_a_number():
    assert new_flow_name(()) == "New flow"
    assert new_flow_name({"New flow", "New flow 2"}) == "New flow 3"


def test_only_names_that_nobody_chose_are_default_names():
    names = (DEFAULT_FLOW_NAME, "New flow", "New flow 12", "New flow for orders", "Orders")

    assert [is_default_name(name) for name in names] == [True, True, True, False, False]


async def test_new_flows_are_numbered():
    backend = FakeBackend(executions=1)

    names = [(await create_new_flow(backend)).name for _ in range(2)]

    assert names == ["New flow", "New flow 2"]


async def test_servers_that_choose_the_names_are_asked_for_none():
    backend = FakeBackend(executions=1)
    backend.capabilities = Capabilities(unavailable={Feature.EDIT_FLOWS: "This server can't do that."})

    assert (await create_new_flow(backend)).name == DEFAULT_FLOW_NAME
