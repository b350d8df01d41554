from patchbay.integration import offset_pages, polling_trigger, text

# The service is asked again and again. It must give its items newest first; `internal_id` says what tells one
# item from another, so that each starts the flow once. A service that sends webhooks wants a
# `Trigger(kind=TriggerKind.WEBHOOK, …)` instead.
new_item = polling_trigger(
    key="newItem",
    name="New item",
    description="Starts when an item is added to a list.",
    arguments=[text("list", "List", required=True, placeholder="inbox")],
    # GET /items?list=inbox&sort=newest&limit=100&offset=0, answered with {"items": [{"id": 7, …}, …]}.
    # Where one answer holds everything, `one_page(…)` is enough.
    items=offset_pages(
        "/items", query={"list": "{list}", "sort": "newest"}, at="items", internal_id="id", limit=100
    ),
)
