"""Changes made here at a service that announces nothing."""

import asyncio
from contextlib import aclosing
from typing import Any, cast

import pytest
from tests.support.patience import PATIENCE
from tests.support.recorded_client import recorded

from patchbay.domain.changes import ResourceType

FLOW = "f1000001-0b1c-4d2e-8f30-000000000001"


@pytest.mark.parametrize(
    ("operation", "arguments", "noun"),
    [
        ("create_template", ("Start", FLOW), ResourceType.TEMPLATE),
        ("create_folder", ("Cranes",), ResourceType.FOLDER),
        ("create_flow", (), ResourceType.FLOW),
        ("revoke_invitation", ("a2000001-0b1c-4d2e-8f30-000000000001",), ResourceType.USER),
    ],
)
async def test_every_view_learns_of_what_was_changed_here(operation, arguments, noun):
    async with recorded() as pair, aclosing(cast(Any, pair.backend.changes())) as changes:
        first = asyncio.ensure_future(anext(changes))
        await asyncio.sleep(0)  # it follows now
        await getattr(pair.backend, operation)(*arguments)
        async with asyncio.timeout(PATIENCE):
            assert (await first).noun is noun
