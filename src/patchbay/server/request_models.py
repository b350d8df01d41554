"""Models of request bodies. Unknown fields are ignored; the `Backend` validates the rules."""

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

from patchbay.domain.base import (
    AppKey,
    FlowId,
    FolderId,
    Json,
    JsonObject,
    Model,
    StepId,
    TemplateId,
    UserId,
    WholeNumber,
)
from patchbay.domain.engine import EngineSettings, RateLimit
from patchbay.domain.executions import ExecutionFilter, ReplayOn
from patchbay.domain.flow_import import MAX_FLOWS
from patchbay.domain.flows import INTERVALS, FlowExport, FlowSettings, StepChange, StepExport, StructuralType
from patchbay.server.request_parameters import WellFormedId as Id

MAX_NAME_LENGTH = 255
MAX_STEPS = 10_000
"""Of a flow to import."""
MAX_FLOW_IDS = 10_000
_NAME_PATTERN = r"^[^\u0000]*[^\s\u0000][^\u0000]*$"


def _check_name(value: str) -> str:
    """Validate a name with the messages of the `Backend`, which also trims it."""
    if not value.strip():
        raise ValueError("Enter a name")
    if "\0" in value:
        raise ValueError("Remove the NUL character, which can't be displayed")
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
    """Annotations of a list: reject a longer one before validating its items; stop at the first invalid one.

    Otherwise a large body with only invalid items would take seconds and produce an error for each.
    """

    def check(value: object) -> object:
        if isinstance(value, list | tuple) and len(value) > count:
            raise ValueError(f"Use at most {count:,} entries")
        return value

    return FailFast(), Field(max_length=count), BeforeValidator(check)


class Body(Model):
    """A request body. Its validator is built at import, when FastAPI copies it: a deferred one is empty."""

    model_config = ConfigDict(defer_build=False)


class StepEdit(StepChange, Body):
    """Changes to a step."""


class FlowFile(FlowExport, Body):
    """A flow to import."""

    steps: Annotated[tuple[StepExport, ...], *max_items(MAX_STEPS)]


class FlowFiles(Body):
    """Flows to import and publish.

    With `useAccounts`, each step gets the connection of its app if there is exactly one. Your own
    flows that were imported before aren't imported again, unless `copy` is true; those that are unchanged
    drafts are published.
    """

    flows: Annotated[tuple[FlowFile, ...], *max_items(MAX_FLOWS)]
    use_accounts: StrictBool = False
    is_copy: Annotated[StrictBool, Field(alias="copy")] = False


class NewFlow(Body):
    """A flow to create: empty, or from a template, with the template's name."""

    user_id: Id[UserId]
    template_id: Id[TemplateId] | None = None
    name: Name | None = None
    folder_id: Id[FolderId] | None = None


class FlowEdit(Body):
    """Changes to a flow; omitted fields stay as they are."""

    name: Name | None = None
    execution_interval: Annotated[
        WholeNumber | None, Field(json_schema_extra={"enum": [*INTERVALS, None]})
    ] = None


class FlowSwitch(Body):
    """Publish or unpublish.

    `updatedAt` is the value last read: if the flow was changed since, it isn't published (409).
    """

    active: StrictBool
    updated_at: StrictInt | None = None


class FlowMove(Body):
    """The folder to move the flow to; null for none."""

    folder_id: Id[FolderId] | None


class FlowRun(Body):
    """The trigger's output to run the flow with; null fetches one from the trigger."""

    item: Json = None


class ToolCall(Body):
    """The arguments to call a tool with, which match its input schema."""

    arguments: JsonObject = {}


class FlowIds(Body):
    """IDs of the flows to report on."""

    flow_ids: Annotated[list[Id[FlowId]], *max_items(MAX_FLOW_IDS)]


class Replay(Body):
    """How to replay an execution; a null item means the original output of its trigger."""

    item: Json = None
    on: ReplayOn = ReplayOn.ORIGINAL


class FailedExecutions(ExecutionFilter, Body):
    """Filter for the failed executions to retry."""


class EngineEdit(EngineSettings, Body):
    """Changes to the engine's settings; omitted fields stay as they are."""


class NewRateLimit(Body):
    """The rate limit of a connection; null for the app's default."""

    rate_limit: RateLimit | None


class FlowSettingsEdit(FlowSettings, Body):
    """Changes to a flow's settings; omitted fields stay as they are."""


class NewStep(Body):
    """The position of a new step: after a step, inside a step, or last; and its type."""

    previous_step_id: Id[StepId] | None = None
    parent_step_id: Id[StepId] | None = None
    structural_type: StructuralType = StructuralType.SINGLE


class StepPosition(Body):
    """The new position of a step, 1-based, and its parent step there."""

    position: WholeNumber
    parent_step_id: Id[StepId] | None = None


class ScheduleFields(Body):
    """A schedule trigger, with the values entered so far."""

    app_key: AppKey
    key: str
    parameters: JsonObject = {}


class DynamicData(Body):
    """The options to load, with the values entered so far."""

    dynamic_data_key: str
    parameters: JsonObject = {}


class DynamicFields(Body):
    """The additional fields to load, with the values entered so far."""

    dynamic_fields_key: str
    parameters: JsonObject = {}


class NewConnection(Body):
    """Credentials for an app, by field key. They are never returned."""

    app_key: AppKey = Field(validation_alias=AliasChoices("key", "appKey"))
    formatted_data: JsonObject = {}


class ConnectionValues(Body):
    """New credentials of a connection; omitted fields stay as they are."""

    formatted_data: JsonObject = {}


class NewCredentials(ConnectionValues):
    """New credentials of a connection, and whether they may belong to another account."""

    accept_other_account: StrictBool = False


class FinishSignIn(Body):
    """How to finish a sign-in."""

    accept_other_account: StrictBool = False


class CameBack(Body):
    """The URL to which the browser was redirected."""

    address: str


class ConnectionName(Body):
    """The name of a connection."""

    screen_name: Name


class Named(Body):
    """A name."""

    name: Name


class NewTemplate(Body):
    """A template to create from a flow."""

    name: Name
    flow_id: Id[FlowId]


def _no_role(_: object) -> None:
    raise ValueError("Set the role with roleId, an ID from GET /v1/roles")


class NewUser(Body):
    """A user who is active immediately; an editor by default."""

    full_name: Name
    email: Email
    role_id: Id[str] | None = None
    role: Annotated[SkipJsonSchema[None], BeforeValidator(_no_role)] = None
    """Rejected: ignored like other unknown fields, it would create an editor instead of a viewer."""


class UserEdit(Body):
    """Changes to a user; omitted fields stay as they are."""

    full_name: Name | None = None
    role_id: Id[str] | None = None


class NewInvitation(Body):
    """The person to invite, and their role."""

    full_name: Name
    email: Email
    role_id: Id[str]
