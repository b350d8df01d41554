"""Actions."""

from patchbay.domain.base import JsonObject
from patchbay.integration import YES_NO, dropdown, request_action, text

_WAITER = dropdown("waiterId", "Waiter", source="listWaiters", required=True, variables=True)
_SERVICE_PHONE = text(
    "servicePhoneToCall", "Service phone", description="Used for the callback instead of the line's number."
)
_SHARED: JsonObject = {
    "line_id": "{lineId:number}",
    "phone": "{phone}",
    "service_phone_to_call": "{servicePhoneToCall}",
    "properties": "{properties:json}",
}


def _waiter(attributes: JsonObject) -> JsonObject:
    """The body of a request, in the form of JSON:API."""
    return {"data": {"type": "waiters", "attributes": {**_SHARED, **attributes}}}


create_waiter = request_action(
    key="createWaiter",
    name="Create waiter",
    description="Adds a caller to a line.",
    arguments=(
        dropdown("lineId", "Line", source="listLines", required=True, variables=True),
        text("phone", "Phone", required=True, placeholder="+4917212345678"),
        dropdown(
            "channel",
            "Channel",
            (("CallBack", "Callback"), ("CallIn", "Call in")),
            required=True,
            variables=True,
        ),
        dropdown(
            "source",
            "Source",
            ("Widget", "Phone", "Mobile", "App", "Other"),
            required=True,
            variables=True,
        ),
        dropdown(
            "appointment",
            "Appointment",
            YES_NO,
            required=True,
            value=False,
            variables=True,
            more_fields="listAppointmentFields",
        ),
        _SERVICE_PHONE,
        text("properties", "Properties", value="{}", value_type="parse", description="A JSON object."),
    ),
    request="POST /v2/waiters",
    body=_waiter(
        {
            "channel": "{channel}",
            "source": "{source}",
            "appointment": "{appointment:bool}",
            "appointment_time": "{appointmentTime:number}",
        }
    ),
)

update_waiter = request_action(
    key="updateWaiter",
    name="Update waiter",
    description="Changes a waiter. Empty fields stay as they are.",
    arguments=(
        _WAITER,
        dropdown("lineId", "Line", source="listLines", variables=True),
        text("phone", "Phone"),
        text(
            "serviceWaiterEwt",
            "Estimated wait time",
            description="In seconds, as your phone system knows it.",
        ),
        dropdown(
            "serviceWaiterState",
            "State",
            ("Waiting", "Connected", "Transferred", ("Timeout", "Timed out"), "Canceled"),
            variables=True,
        ),
        text("waitTimeWhenUp", "Wait time at the call", description="In seconds."),
        text("talkTime", "Talk time", description="In seconds."),
        text("agentId", "Agent ID"),
        _SERVICE_PHONE,
        text("properties", "Properties", value_type="parse", description="A JSON object."),
    ),
    request="PUT /v2/waiters/{waiterId}",
    body=_waiter(
        {
            "service_waiter_ewt": "{serviceWaiterEwt:number}",
            "service_waiter_state": "{serviceWaiterState}",
            "wait_time_when_up": "{waitTimeWhenUp:number}",
            "talk_time": "{talkTime:number}",
            "agent_id": "{agentId}",
        }
    ),
)

show_waiter = request_action(
    key="showWaiter",
    name="Show waiter",
    description="Outputs a waiter.",
    arguments=(_WAITER,),
    request="GET /v2/waiters/{waiterId}",
)

delete_waiter = request_action(
    key="deleteWaiter",
    name="Delete waiter",
    description="Removes a caller from a line.",
    arguments=(_WAITER,),
    request="DELETE /v2/waiters/{waiterId}",
    output={"output": "{response}"},
)
