"""Triggers."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from patchbay.domain.base import Json, JsonObject
from patchbay.integration import Context, cursor, dropdown, polling_trigger, rows
from patchbay.integration.described_requests import prepare, values_of
from patchbay.integration.paging import read_pages
from patchbay.integration.templates import find_value

_PAGES = cursor("meta.next_page", "page[number]", limit_key="page[size]")


def _chosen(parameters: JsonObject) -> list[Any]:
    found: list[Any] = find_value(parameters, "templateIds[].templateId") or []
    return found


def _query(parameters: JsonObject) -> JsonObject:
    """PDFMonkey filters by one template; several are filtered here."""
    chosen = _chosen(parameters)
    return {
        "q[workspace_id]": parameters.get("workspaceId"),
        "q[status]": "success",
        "q[document_template_id]": chosen[0] if len(chosen) == 1 else None,
    }


async def _items(ctx: Context) -> AsyncGenerator[tuple[Json, str], None]:
    """New documents, until a page has only known ones.

    A known one doesn't end it: a document that was created earlier can be generated later.
    """
    chosen = _chosen(ctx.parameters)
    request = prepare("/v1/document_cards", values_of(ctx), query=_query)
    async with aclosing(read_pages(ctx, request, _PAGES, "document_cards")) as pages:
        async for page in pages:
            cards = [card for card in page if not chosen or card.get("document_template_id") in chosen]
            known = await ctx.seen([str(card["id"]) for card in cards])
            if cards and len(known) == len(cards):
                return
            for card in cards:
                if str(card["id"]) not in known:
                    yield card, str(card["id"])


documents_generated = polling_trigger(
    key="documentsGenerated",
    name="Document generated",
    description="Starts when a document has been generated.",
    arguments=[
        dropdown("workspaceId", "Workspace", source="listWorkspaces", required=True, variables=True),
        rows(
            "templateIds",
            "Templates",
            (
                dropdown(
                    "templateId",
                    "Template",
                    source="listTemplates",
                    within="workspaceId",
                    variables=True,
                ),
            ),
            description="Leave empty for all templates.",
            add="Add template",
        ),
    ],
    items=_items,
)
