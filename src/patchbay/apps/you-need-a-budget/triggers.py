"""Triggers. Amounts are in thousandths of the currency unit; those of categories are of this month."""

from collections.abc import AsyncGenerator, Callable
from datetime import UTC
from typing import Any

from patchbay.domain.base import JsonObject
from patchbay.integration import Context, list_items, polling_trigger, text
from patchbay.integration.polling import Item, Items
from patchbay.integration.values import local_time, number

_THOUSANDTHS = 1000
_CATEGORIES = "data.category_groups[].categories"
"""The categories of all groups."""


def _once_a_month(path: str, at: str, only: Callable[[Any, JsonObject], bool]) -> Items:
    """The rows that meet a condition, each once in a month, which begins and ends in UTC as in YNAB."""

    def items(ctx: Context) -> AsyncGenerator[Item, None]:
        month = local_time(ctx.now, UTC).strftime("%m-%Y")
        return list_items(path, at=at, internal_id=f"{{id}}-{month}", only=only, last_first=True)(ctx)

    return items


def _is_overspent(category: Any, parameters: JsonObject) -> bool:
    return not category.get("deleted") and category["balance"] < 0


def _has_completed_goal(category: Any, parameters: JsonObject) -> bool:
    return not category.get("deleted") and category.get("goal_percentage_complete") == 100


def _is_low(account: Any, parameters: JsonObject) -> bool:
    if account.get("deleted") or account.get("closed"):
        return False
    return bool(account["balance"] < number(parameters, "balanceBelowAmount", "Amount") * _THOUSANDTHS)


category_overspent = polling_trigger(
    key="categoryOverspent",
    name="Category overspent",
    description="Starts when more was spent in a category than is available, once a month per category.",
    items=_once_a_month("/plans/default/categories", _CATEGORIES, _is_overspent),
)

goal_completed = polling_trigger(
    key="goalCompleted",
    name="Goal completed",
    description="Starts when the goal of a category is reached, once a month per category.",
    items=_once_a_month("/plans/default/categories", _CATEGORIES, _has_completed_goal),
)

low_account_balance = polling_trigger(
    key="lowAccountBalance",
    name="Low account balance",
    description="Starts when the balance of an open account is below an amount, once a month per account.",
    arguments=[
        text(
            "balanceBelowAmount",
            "Amount",
            required=True,
            placeholder="250",
            description="In the currency of the budget.",
        )
    ],
    items=_once_a_month("/plans/default/accounts", "data.accounts", _is_low),
)

new_transactions = polling_trigger(
    key="newTransactions",
    name="New transaction",
    description="Starts when a transaction is entered or imported.",
    items=list_items(
        "/plans/default/transactions",
        at="data.transactions",
        only=lambda transaction, parameters: not transaction.get("deleted"),
        last_first=True,
    ),
)
