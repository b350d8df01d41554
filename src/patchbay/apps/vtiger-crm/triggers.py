"""Triggers."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from patchbay.domain.base import Json
from patchbay.integration import Context, Trigger, polling_trigger

from .records import read_records


def _new_trigger(key: str, name: str, what: str, module: str) -> Trigger:
    async def items(ctx: Context) -> AsyncGenerator[tuple[Json, str], None]:
        async with aclosing(read_records(ctx, module, "ORDER BY createdtime DESC")) as found:
            async for record in found:
                yield record, str(record["id"])

    return polling_trigger(key=key, name=name, description=f"Starts when {what} is created.", items=items)


new_cases = _new_trigger("newCases", "New case", "a case", "Cases")
new_contacts = _new_trigger("newContacts", "New contact", "a contact", "Contacts")
new_invoices = _new_trigger("newInvoices", "New invoice", "an invoice", "Invoice")
new_leads = _new_trigger("newLeads", "New lead", "a lead", "Leads")
new_opportunities = _new_trigger("newOpportunities", "New opportunity", "an opportunity", "Potentials")
new_todos = _new_trigger("newTodos", "New to-do", "a task", "Calendar")
