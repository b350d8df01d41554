"""Triggers."""

from patchbay.integration import cursor, list_items, polling_trigger

_PAGES = cursor("id", "starting_after", from_last_row=True, more="has_more", limit_key="limit")

new_balance_transactions = polling_trigger(
    key="newBalanceTransactions",
    name="New balance transaction",
    description="Starts when your Stripe balance changes: for charges, refunds, fees, and payouts.",
    items=list_items("/v1/balance_transactions", at="data", pages=_PAGES),
)

new_payouts = polling_trigger(
    key="newPayouts",
    name="New payout",
    description="Starts when Stripe creates a payout to your bank account or card.",
    items=list_items("/v1/payouts", at="data", pages=_PAGES),
)
