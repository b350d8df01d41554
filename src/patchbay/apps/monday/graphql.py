"""Lists and operations of the GraphQL API. Entered values are sent as variables, never in the query."""

from collections.abc import AsyncGenerator
from typing import Any

from patchbay.domain.base import Json
from patchbay.integration import Context
from patchbay.integration.polling import MAX_PAGES
from patchbay.integration.third_party_errors import UnexpectedResponse, describe_shape

BOARDS = """query ($page: Int!, $limit: Int!) {
  boards(page: $page, limit: $limit, order_by: created_at) {
    id name type board_kind state description workspace_id url
  }
}"""
USERS = """query ($page: Int!, $limit: Int!) {
  users(page: $page, limit: $limit, newest_first: true) {
    id name email title phone mobile_phone is_admin is_guest created_at url
  }
}"""
_LIMIT = 100


async def run_operation(ctx: Context, query: str, **variables: Json) -> dict[str, Any]:
    """Run a query or a mutation, and return the whole response. Variables that are empty are left out."""
    given = {key: value for key, value in variables.items() if value not in (None, "")}
    response = await ctx.http.post("/", json={"query": query, **({"variables": given} if given else {})})
    document = response.json()
    if not isinstance(document, dict) or not isinstance(document.get("data"), dict):
        raise UnexpectedResponse(response, "“data”", describe_shape(document))
    return document


async def read_rows(ctx: Context, query: str, name: str) -> AsyncGenerator[dict[str, Any], None]:
    """The rows of all pages of a list, newest first."""
    for page in range(1, MAX_PAGES * (1 + ctx.unfinished_polls) + 1):
        rows = (await run_operation(ctx, query, page=page, limit=_LIMIT))["data"].get(name) or []
        for row in rows:
            yield row
        if len(rows) < _LIMIT:
            return
    ctx.has_more_items = True
