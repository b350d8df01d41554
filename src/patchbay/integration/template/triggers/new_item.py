"""The trigger “New item”."""

from patchbay.integration import offset_pages, polling_trigger, text

# A polling trigger: Patchbay sends this request at the flow's interval. The service must return its items
# newest first; `internal_id` is the field that identifies an item, so that each one starts the flow once. For
# a service that sends webhooks, use `webhook_trigger(…)` instead.
new_item = polling_trigger(
    key="newItem",
    name="New item",
    description="Starts when an item is added to a list.",
    arguments=[text("list", "List", required=True, placeholder="inbox")],
    # GET /items?list=inbox&sort=newest&limit=100&offset=0 with the response {"items": [{"id": 7, …}, …]}.
    # If one response has all items, use `one_page(…)`.
    items=offset_pages(
        "/items", query={"list": "{list}", "sort": "newest"}, at="items", internal_id="id", limit=100
    ),
)
