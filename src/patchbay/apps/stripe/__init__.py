"""Stripe, payments. API: version 1, with a secret or restricted key."""

from patchbay.integration import App, bearer

from .auth import auth
from .triggers import new_balance_transactions, new_payouts

app = App(
    name="Stripe",
    key="stripe",
    supports_connections=True,
    base_url="https://stripe.com",
    api_base_url="https://api.stripe.com",
    primary_color="#635BFF",
    description="Start a flow for new balance transactions and payouts.",
    category="Payments",
    keywords=("payment", "card", "invoice"),
    auth=auth,
    before_request=[bearer(field="secretKey")],
    triggers=[new_balance_transactions, new_payouts],
)
