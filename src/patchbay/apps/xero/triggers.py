"""Triggers."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from patchbay.domain.base import JsonObject
from patchbay.integration import Context, dropdown, page_numbers, polling_trigger
from patchbay.integration.described_requests import Template, prepare, values_of
from patchbay.integration.paging import read_pages
from patchbay.integration.polling import Item, Items
from patchbay.integration.values import parameter_error, text_of

_NEWEST: JsonObject = {"order": "UpdatedDateUTC DESC"}
_ORGANIZATION = dropdown(
    "organizationId",
    "Organization",
    source="listOrganizations",
    required=True,
    variables=True,
    description="The organization of the connection. Add a connection for each organization.",
)
_PAYMENT_TYPES = (
    ("ACCRECPAYMENT", "Payment of a sales invoice"),
    ("ACCPAYPAYMENT", "Payment of a bill"),
    ("ARCREDITPAYMENT", "Refund of a sales credit note"),
    ("APCREDITPAYMENT", "Refund of a purchase credit note"),
    ("AROVERPAYMENTPAYMENT", "Refund of a sales overpayment"),
    ("ARPREPAYMENTPAYMENT", "Refund of a sales prepayment"),
    ("APPREPAYMENTPAYMENT", "Refund of a purchase prepayment"),
    ("APOVERPAYMENTPAYMENT", "Refund of a purchase overpayment"),
)


def _new_rows(path: str, at: str, id_key: str, query: Template) -> Items:
    """The rows that the trigger hasn't reported, last changed first.

    A row that was reported moves to the top when it's changed, so it doesn't end the list; a page of such
    rows does.
    """

    async def items(ctx: Context) -> AsyncGenerator[Item, None]:
        request = prepare(path, values_of(ctx), query=query)
        pages = read_pages(ctx, request, page_numbers(limit_key="pageSize"), at)
        async with aclosing(pages) as all_pages:
            async for rows in all_pages:
                known = await ctx.seen([str(row[id_key]) for row in rows])
                for row in rows:
                    if str(row[id_key]) not in known:
                        yield row, str(row[id_key])
                if len(known) == len(rows) and not ctx.unfinished_polls:
                    return

    return items


def _payments_query(parameters: JsonObject) -> JsonObject:
    """The query, with the type as a condition: only a known one, since it becomes a part of a statement."""
    chosen = text_of(parameters, "paymentType")
    if not chosen:
        return _NEWEST
    if chosen not in dict(_PAYMENT_TYPES):
        raise parameter_error("paymentType", f"“{chosen[:60]}” isn't a payment type of Xero.")
    return {**_NEWEST, "where": f'PaymentType=="{chosen}"'}


new_bank_transactions = polling_trigger(
    key="newBankTransactions",
    name="New bank transaction",
    description="Starts when money is spent or received in a bank account.",
    arguments=[_ORGANIZATION],
    items=_new_rows("/api.xro/2.0/BankTransactions", "BankTransactions", "BankTransactionID", _NEWEST),
)

new_payments = polling_trigger(
    key="newPayments",
    name="New payment",
    description="Starts when a payment of an invoice or bill, or a refund, is recorded.",
    arguments=[
        _ORGANIZATION,
        dropdown(
            "paymentType",
            "Payment type",
            _PAYMENT_TYPES,
            variables=True,
            description="Leave empty for all types.",
        ),
    ],
    source=["paymentType"],
    items=_new_rows("/api.xro/2.0/Payments", "Payments", "PaymentID", _payments_query),
)
