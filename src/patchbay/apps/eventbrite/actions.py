"""Actions."""

from datetime import UTC

from patchbay.domain.base import JsonObject
from patchbay.integration import Action, Argument, Context, dropdown, request_action, segment, text
from patchbay.integration.templates import fill_object
from patchbay.integration.values import parse_date_time, parse_time_zone, text_of

_TIME_HINT = "Such as 2026-03-31T14:30:00+02:00, without an offset in the time zone of Patchbay."


def _organization(*, required: bool) -> Argument:
    return dropdown(
        "organizationId", "Organization", source="listOrganizations", required=required, variables=True
    )


def _moment(ctx: Context, key: str) -> JsonObject:
    """An entered time as Eventbrite expects it. It shows the event in the time zone of the workspace."""
    zone = parse_time_zone(ctx.time_zone)
    moment = parse_date_time(text_of(ctx.parameters, key), time_zone=zone, now=ctx.now, key=key)
    return {"timezone": ctx.time_zone, "utc": moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")}


async def _create(ctx: Context) -> None:
    """Create an event of the filled fields."""
    filled = fill_object(
        {
            "name": {"html": "{name}"},
            "summary": "{summary}",
            "venue_id": "{venueId}",
            "currency": "{currencyId}",
            "listed": "{listed:bool}",
        },
        ctx.parameters,
    )
    times = {"start": _moment(ctx, "eventStart"), "end": _moment(ctx, "eventEnd")}
    organization_id = segment(ctx.parameters.get("organizationId"))
    response = await ctx.http.post(
        f"/v3/organizations/{organization_id}/events/", json={"event": {**filled, **times}}
    )
    ctx.set_action_item(response.json())


create_event = Action(
    key="createEvent",
    name="Create event",
    description="Creates an event as a draft.",
    arguments=(
        _organization(required=True),
        text("name", "Name", required=True),
        text("summary", "Summary", description="Max. 140 characters."),
        text("eventStart", "Start", required=True, description=_TIME_HINT),
        text("eventEnd", "End", required=True, description=_TIME_HINT),
        dropdown(
            "venueId",
            "Venue",
            source="listVenues",
            within="organizationId",
            variables=True,
        ),
        dropdown("currencyId", "Currency", source="listCurrency", required=True, variables=True),
        dropdown(
            "listed",
            "Listed",
            (("true", "Yes"), ("false", "No")),
            variables=True,
            description="Whether people can find the event on Eventbrite.",
        ),
    ),
    run=_create,
)

publish_event = request_action(
    key="publishEvent",
    name="Publish event",
    description="Publishes an event that has its required details, such as tickets.",
    arguments=(
        _organization(required=False),
        dropdown(
            "eventId",
            "Event",
            source="listEvents",
            within="organizationId",
            given={"unpublished": "true"},
            required=True,
            variables=True,
        ),
    ),
    request="POST /v3/events/{eventId}/publish/",
    body={},
)
