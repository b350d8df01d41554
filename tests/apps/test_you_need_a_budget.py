"""You Need A Budget: which categories and accounts start a flow, and how often."""

from datetime import UTC, datetime
from typing import Any

import pytest
from tests.support.app_calls import built_in_trigger
from tests.support.catalogue.service import NOW, SimulatedService, calling

from patchbay.domain.errors import ValidationFailed
from patchbay.integration.context import collect_items
from patchbay.integration.templates import find_value


async def poll(
    trigger: str, parameters: dict[str, Any] | None = None, *, now: int = NOW, **more: Any
) -> list[tuple[str, str]]:
    run = built_in_trigger("you-need-a-budget", trigger).run
    assert run is not None
    async with calling(SimulatedService("you-need-a-budget"), parameters, **more) as ctx:
        ctx.now = now
        items = await collect_items(run, ctx)
    return [(str(find_value(item.raw, "name")), str(item.internal_id)[-7:]) for item in items]


@pytest.mark.parametrize(("trigger", "name"), [("categoryOverspent", "Groceries"), ("goalCompleted", "Rent")])
async def test_only_categories_that_meet_the_condition_start_a_flow(trigger: str, name: str):
    assert await poll(trigger) == [(name, "01-2026")]


@pytest.mark.parametrize(
    ("amount", "names"), [("249.99", []), ("250", ["Checking"]), ("250.5", ["Checking", "Savings"])]
)
async def test_open_accounts_below_the_amount_start_a_flow(amount: str, names: list[str]):
    found = await poll("lowAccountBalance", {"balanceBelowAmount": amount})

    assert sorted(name for name, _ in found) == names


async def test_an_amount_that_is_no_number_is_reported():
    with pytest.raises(ValidationFailed, match="isn't a number"):
        await poll("lowAccountBalance", {"balanceBelowAmount": "lots"})


async def test_a_category_starts_the_flow_again_in_the_next_month():
    known = frozenset({"1f7d1f0e-6f3a-4a3e-8a3b-0c8f5a1d2e21-01-2026"})

    async def find_seen(internal_ids):
        return frozenset(internal_ids) & known

    february = round(datetime(2026, 2, 1, tzinfo=UTC).timestamp() * 1000)
    seen: dict[str, Any] = {"known_ids": known, "find_seen_ids": find_seen}

    assert await poll("categoryOverspent", **seen) == []
    assert await poll("categoryOverspent", now=february, **seen) == [("Groceries", "02-2026")]
