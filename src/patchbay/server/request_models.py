"""What endpoints read from request bodies. Unknown fields are ignored; rules are the Backend's to check."""

from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    AliasChoices,
    BeforeValidator,
    ConfigDict,
    FailFast,
    Field,
    StrictBool,
    StrictInt,
    WithJsonSchema,
)
from pydantic.json_schema import SkipJsonSchema

from patchbay.domain.base import AppKey, Json, JsonObject, Model, WholeNumber
from patchbay.domain.engine import EngineSettings, RateLimit
from patchbay.domain.executions import ExecutionFilter, ReplayOn
from patchbay.domain.flows import INTERVALS, FlowExport, FlowSettings, StepChange, StepExport, StructuralType
from patchbay.server.request_parameters import WellFormedId as Id

MAX_NAME_LENGTH = 255
MAX_STEPS = 10_000
"""Of a flow to import."""
MAX_FLOW_IDS = 10_000
_NAME_PATTERN = r"^[^\u0000]*[^\s\u0000][^\u0000]*$"


def _check_name(value: str) -> str:
    """The rule of all names, in the words of the Backend, which trims them."""
    if not value.strip():
        raise ValueError("Enter a name")
    if "\0" in value:
        raise ValueError("Leave out the character NUL, which cannot be shown")
    if len(value.strip()) > MAX_NAME_LENGTH:
        raise ValueError(f"Use at most {MAX_NAME_LENGTH} characters")
    return value


Name = Annotated[
    str,
    AfterValidator(_check_name),
    WithJsonSchema(
        {"type": "string", "minLength": 1, "maxLength": MAX_NAME_LENGTH, "pattern": _NAME_PATTERN}
    ),
]
Email = Annotated[str, WithJsonSchema({"type": "string", "format": "email", "maxLength": 255})]


def max_items(count: int) -> tuple[Any, ...]:
    """Annotations of a list: refuse a longer one before checking its items, and stop at the first bad item.

    Otherwise a large body with nothing but bad items takes seconds and an error for each of them.
    """

    def check(value: object) -> object:
        if isinstance(value, list | tuple) and len(value) > count:
            raise ValueError(f"Use at most {count:,} entries")
        return value

    return FailFast(), Field(max_length=count), BeforeValidator(check)


class Body(Model):
    """What the endpoints read. Built at once: FastAPI checks bodies with their models as they are then."""

    model_config = ConfigDict(defer_build=False)


class StepEdit(StepChange, Body):
    """What may change about a step."""


class FlowFile(FlowExport, Body):
    """A flow to bring in."""

    steps: Annotated[tuple[StepExport, ...], *max_items(MAX_STEPS)]


class NewFlow(Body):
    """A flow to create, empty or from a template, whose name it takes; it is then in no folder."""

    user_id: Id
    template_id: Id | None = None
    name: Name | None = None
    folder_id: Id | None = None


class FlowEdit(Body):
    """What may change about a flow itself."""

    name: Name | None = None
    execution_interval: Annotated[
        WholeNumber | None, Field(json_schema_extra={"enum": [*INTERVALS, None]})
    ] = None


class FlowSwitch(Body):
    """Publish or unpublish.

    `updatedAt` is that of the flow as it was read: 409 when it was changed since, and nothing is published.
    """

    active: StrictBool
    updated_at: StrictInt | None = None


class FlowMove(Body):
    """Into a folder, or out of any with null."""

    folder_id: Id | None


class FlowRun(Body):
    """What to run a flow with; null asks its trigger."""

    item: Json = None


class FlowIds(Body):
    """Flows to report on."""

    flow_ids: Annotated[list[Id], *max_items(MAX_FLOW_IDS)]


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

    position: WholeNumber
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

    accept_other_account: StrictBool = False


class FinishSignIn(Body):
    """How to end a sign-in."""

    accept_other_account: StrictBool = False


class CameBack(Body):
    """The address a browser ended at."""

    address: str


class ConnectionName(Body):
    """How a connection is called."""

    screen_name: Name


class Named(Body):
    """Anything that only takes a name."""

    name: Name


class NewTemplate(Body):
    """A template to make of a flow."""

    name: Name
    flow_id: Id


def _no_role(_: object) -> None:
    raise ValueError("Choose the role with roleId, an ID of GET /v1/roles")


class NewUser(Body):
    """A person who is in at once; without a role, an editor."""

    full_name: Name
    email: Email
    role_id: Id | None = None
    role: Annotated[SkipJsonSchema[None], BeforeValidator(_no_role)] = None
    """Ignored like other unknown fields, it would make an editor of somebody who is to be a viewer."""


class UserEdit(Body):
    """What may change about a person; what is left out stays as it is."""

    full_name: Name | None = None
    role_id: Id | None = None


class NewInvitation(Body):
    """Whom to invite, and what they may do."""

    full_name: Name
    email: Email
    role_id: Id
