"""The time of an appointment as a field."""

from collections.abc import Sequence

from patchbay.integration import Argument, Context, DynamicFields, text
from patchbay.integration.values import as_bool


async def load(ctx: Context) -> Sequence[Argument]:
    """The field for the time, if the waiter is an appointment."""
    if not as_bool(ctx.parameters.get("appointment")):
        return []
    description = "When to call, in seconds since January 1, 1970, UTC."
    return [text("appointmentTime", "Appointment time", required=True, description=description)]


list_appointment_fields = DynamicFields(key="listAppointmentFields", load=load)
