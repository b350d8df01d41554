"""Audiences, campaigns, segments, tags, and templates for dropdowns."""

from patchbay.integration import Context, DynamicData, Option, offsets, option_list

_PAGES = offsets(limit_key="count", limit=1000)

list_audiences = option_list(
    "listAudiences",
    "/3.0/lists",
    at="lists",
    query={"sort_field": "date_created", "sort_dir": "DESC"},
    pages=_PAGES,
    in_order=True,
)
list_campaigns = option_list(
    "listCampaigns",
    "/3.0/campaigns",
    at="campaigns",
    label="{settings.title|settings.subject_line}",
    query={"list_id": "{audienceId}", "sort_field": "create_time", "sort_dir": "DESC"},
    pages=_PAGES,
    in_order=True,
)
list_templates = option_list(
    "listTemplates",
    "/3.0/templates",
    at="templates",
    query={"sort_field": "date_created", "sort_dir": "DESC"},
    pages=_PAGES,
    in_order=True,
)
_tags = option_list("listTags", "/3.0/lists/{audienceId}/tag-search", at="tags", label="Tag: {name}")
_segments = option_list(
    "listSegments",
    "/3.0/lists/{audienceId}/segments",
    at="segments",
    label="Segment: {name}",
    pages=_PAGES,
)


async def load(ctx: Context) -> list[Option]:
    """Tags and segments together. Mailchimp also lists tags as segments; they're shown once."""
    tags = await _tags.load(ctx)
    known = {option.value for option in tags}
    return [*tags, *(option for option in await _segments.load(ctx) if option.value not in known)]


list_segments_or_tags = DynamicData(key="listSegmentsOrTags", load=load)
