"""What endpoints read from request bodies. Unknown fields are ignored; rules are the Backend's to check."""

from pydantic import AliasChoices, ConfigDict, Field, StrictBool

from patchbay.domain.base import AppKey, Json, JsonObject, Model
from patchbay.domain.engine import EngineSettings, RateLimit
from patchbay.domain.executions import ExecutionFilter, ReplayOn
from patchbay.domain.flows import FlowExport, FlowSettings, StepChange, StructuralType
from patchbay.server.params import Id


class Body(Model):
    """What the endpoints read. Built at once: FastAPI checks bodies with their models as they are then."""

    model_config = ConfigDict(defer_build=False)


class StepEdit(StepChange, Body):
    """What may change about a step."""


class FlowFile(FlowExport, Body):
    """A flow to bring in."""


class NewFlow(Body):
    """A flow to create, empty or from a template."""

    user_id: Id
    template_id: Id | None = None
    name: str | None = None
    folder_id: Id | None = None


class FlowEdit(Body):
    """What may change about a flow itself."""

    name: str | None = None
    execution_interval: int | None = None


class FlowSwitch(Body):
    """Publish or unpublish."""

    active: StrictBool


class FlowMove(Body):
    """Into a folder, or out of any with null."""

    folder_id: Id | None


class FlowRun(Body):
    """What to run a flow with; null asks its trigger."""

    item: Json = None


class FlowIds(Body):
    """Flows to report on."""

    flow_ids: list[Id]


class Replay(Body):
    """What to run an execution anew with: null stands for what its trigger put out then."""

    item: Json = None
    on: ReplayOn = ReplayOn.ORIGINAL


class FailedExecutions(ExecutionFilter, Body):
    """Which failed executions to retry."""


class EngineEdit(EngineSettings, Body):
    """What may change about the engine; what is left out stays as it is."""


class NewRateLimit(Body):
    """How many calls a time, or null for what the app asks for."""

    rate_limit: RateLimit | None


class FlowSettingsEdit(FlowSettings, Body):
    """What may change about how a flow is run; what is left out stays as it is."""


class NewStep(Body):
    """Where a new step goes: behind this one, into that one, or last; and of which kind it is."""

    previous_step_id: Id | None = None
    parent_step_id: Id | None = None
    structural_type: StructuralType = StructuralType.SINGLE


class StepPosition(Body):
    """Where a step moves to, 1-based, and the step that holds it there."""

    position: int
    parent_step_id: Id | None = None


class DynamicData(Body):
    """Which options to load, with the values entered so far."""

    dynamic_data_key: str
    parameters: JsonObject = {}


class DynamicFields(Body):
    """Which further fields to load, with the values entered so far."""

    dynamic_fields_key: str
    parameters: JsonObject = {}


class NewConnection(Body):
    """Credentials for an app, by field key. They go in and never come out again."""

    app_key: AppKey = Field(validation_alias=AliasChoices("key", "appKey"))
    formatted_data: JsonObject = {}


class ConnectionValues(Body):
    """New credentials of a connection; what is left out stays as it is."""

    formatted_data: JsonObject = {}


class NewCredentials(ConnectionValues):
    """New credentials of a connection, and whether they may be those of another account."""

    accept_other_account: bool = False


class FinishSignIn(Body):
    """How to end a sign-in."""

    accept_other_account: bool = False


class CameBack(Body):
    """The address a browser ended at."""

    address: str


class ConnectionName(Body):
    """How a connection is called."""

    screen_name: str


class Named(Body):
    """Anything that only takes a name."""

    name: str


class NewTemplate(Body):
    """A template to make of a flow."""

    name: str
    flow_id: Id


class NewUser(Body):
    """A person who is in at once; without a role, an editor."""

    full_name: str
    email: str
    role_id: Id | None = None


class UserEdit(Body):
    """What may change about a person; what is left out stays as it is."""

    full_name: str | None = None
    role_id: Id | None = None


class NewInvitation(Body):
    """Whom to invite, and what they may do."""

    full_name: str
    email: str
    role_id: Id
