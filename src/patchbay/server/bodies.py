"""What endpoints read from request bodies. Unknown fields are ignored; rules are the Backend's to check."""

from pydantic import AliasChoices, Field, StrictBool

from patchbay.domain.base import AppKey, Json, JsonObject, Model
from patchbay.server.params import Id


class NewFlow(Model):
    """A flow to create, empty or from a template."""

    user_id: Id
    template_id: Id | None = None
    name: str | None = None
    folder_id: Id | None = None


class FlowEdit(Model):
    """What may change about a flow itself."""

    name: str | None = None
    execution_interval: int | None = None


class FlowSwitch(Model):
    """Publish or unpublish."""

    active: StrictBool


class FlowMove(Model):
    """Into a folder, or out of any with null."""

    folder_id: Id | None


class FlowRun(Model):
    """What to run a flow with; null asks its trigger."""

    item: Json = None


class FlowIds(Model):
    """Flows to report on."""

    flow_ids: list[Id]


class NewStep(Model):
    """Where a new action goes: behind this step, or last."""

    previous_step_id: Id | None = None


class StepPosition(Model):
    """Where a step moves to, 1-based."""

    position: int


class DynamicData(Model):
    """Which options to load, with the values entered so far."""

    dynamic_data_key: str
    parameters: JsonObject = {}


class DynamicFields(Model):
    """Which further fields to load, with the values entered so far."""

    dynamic_fields_key: str
    parameters: JsonObject = {}


class NewConnection(Model):
    """Credentials for an app, by field key. They go in and never come out again."""

    app_key: AppKey = Field(validation_alias=AliasChoices("key", "appKey"))
    formatted_data: JsonObject = {}


class ConnectionValues(Model):
    """New credentials of a connection; what is left out stays as it is."""

    formatted_data: JsonObject = {}


class ConnectionName(Model):
    """How a connection is called."""

    screen_name: str


class Named(Model):
    """Anything that only takes a name."""

    name: str


class NewTemplate(Model):
    """A template to make of a flow."""

    name: str
    flow_id: Id
