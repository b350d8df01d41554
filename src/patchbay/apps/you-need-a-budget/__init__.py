"""YNAB (You Need A Budget), budgeting. API: version 1, with OAuth 2."""

from patchbay.integration import App, bearer

from .auth import auth
from .triggers import category_overspent, goal_completed, low_account_balance, new_transactions

app = App(
    name="You Need A Budget",
    key="you-need-a-budget",
    supports_connections=True,
    base_url="https://app.ynab.com",
    api_base_url="https://api.ynab.com/v1",
    primary_color="#19223C",
    description="Start a flow for new transactions, overspent categories, completed goals, and low balances.",
    category="Finance",
    keywords=("ynab", "money"),
    auth=auth,
    before_request=[bearer(field="accessToken")],
    triggers=[category_overspent, goal_completed, low_account_balance, new_transactions],
)
