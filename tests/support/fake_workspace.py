"""What the fake backend starts with: apps with forms of every kind, connections, flows, executions."""

from typing import Any

from patchbay.domain.apps import ActionInfo, AppInfo, AuthInfo, TriggerInfo, TriggerKind
from patchbay.domain.base import (
    AppKey,
    ConnectionId,
    ExecutionId,
    FlowId,
    FolderId,
    JsonObject,
    StepId,
    UserId,
)
from patchbay.domain.connections import Connection, ConnectionHealth
from patchbay.domain.executions import (
    Execution,
    ExecutionState,
    ExecutionStep,
    FlowRef,
    StepRef,
    StepState,
)
from patchbay.domain.fields import Argument, ArgumentType, AuthField, Option, Source
from patchbay.domain.flows import (
    Flow,
    Step,
    StepStatus,
    StepType,
)

NOW = 1_763_650_860_000
"""20 November 2025, 15:01 UTC: the moment all data here is seen from."""
MINUTE = 60_000
_S = ExecutionState


def text(key: str, label: str, **more: Any) -> Argument:
    return Argument(key=key, label=label, variables=True, **more)


def apps() -> dict[AppKey, AppInfo]:
    """A handful of apps with forms of every kind."""
    key_fields = (
        AuthField(key="screenName", label="Screen name", required=True),
        AuthField(key="apiKey", label="API Key", required=True),
    )
    auth = AuthInfo(fields=key_fields)
    made = [
        AppInfo(key=AppKey("webhook"), name="Webhook", primary_color="#0059F7", category="Built in",
                triggers=(TriggerInfo(key="catchRawWebhook", name="Catch raw webhook", kind=TriggerKind.WEBHOOK,
                                      description="Starts when its address is called.", show_webhook_url=True,
                                      supports_connections=False),), actions=()),
        AppInfo(key=AppKey("scheduler"), name="Scheduler", primary_color="#0059F7", category="Built in",
                triggers=(TriggerInfo(key="everyDay", name="Every day", kind=TriggerKind.SCHEDULE,
                                      supports_connections=False, description="Starts once a day.",
                                      arguments=(Argument(key="hour", label="Hour", type=ArgumentType.DROPDOWN, required=True,
                                                 options=tuple(Option(label=f"{h}:00", value=h) for h in range(24))),)),),
                actions=()),
        AppInfo(key=AppKey("filter"), name="Filter", primary_color="#001F52", category="Built in", triggers=(),
                actions=(ActionInfo(key="continueIfMatches", name="Continue if conditions match",
                                    supports_connections=False,
                                    arguments=(Argument(key="or", label="Conditions", type=ArgumentType.CONDITIONS, variables=True),)),)),
        AppInfo(key=AppKey("http-request"), name="HTTP Request", primary_color="#000000", category="Built in", triggers=(),
                actions=(ActionInfo(key="customRequest", name="Custom request", supports_connections=False,
                    description="Calls any address.",
                    arguments=(Argument(key="method", label="Method", type=ArgumentType.DROPDOWN, required=True, value="GET",
                                        options=tuple(Option(label=m, value=m) for m in ("GET", "POST", "PUT", "PATCH", "DELETE"))),
                               text("url", "URL", required=True), text("data", "Body", multiline=True),
                               Argument(key="headers", label="Headers", type=ArgumentType.DYNAMIC, add_button_label="Add header",
                                        fields=(text("key", "Key", required=True), text("value", "Value", required=True))))),)),
        AppInfo(key=AppKey("github"), name="GitHub", primary_color="#181717", supports_connections=True, category="Development",
                base_url="https://github.com", auth=auth, connection_count=1, flow_count=2,
                triggers=(TriggerInfo(key="newIssues", name="New issues", description="Starts when an issue is opened.",
                                      arguments=(Argument(key="repo", label="Repository", type=ArgumentType.DROPDOWN, required=True,
                                                          source=Source(loader="listRepos")),)),),
                actions=(ActionInfo(key="createIssue", name="Create issue", description="Opens an issue.",
                                    arguments=(text("title", "Title", required=True),)),)),
        AppInfo(key=AppKey("todoist"), name="Todoist", primary_color="#E44332", supports_connections=True, category="Tasks",
                base_url="https://todoist.com", auth=auth, connection_count=3, flow_count=1, triggers=(),
                actions=(ActionInfo(key="createTask", name="Create task", description="Adds a task to a project.",
                    arguments=(Argument(key="projectId", label="Project", type=ArgumentType.DROPDOWN, required=True, source=Source(loader="listProjects")),
                               Argument(key="sectionId", label="Section", type=ArgumentType.DROPDOWN, depends_on=("projectId",),
                                        source=Source(loader="listSections", parameters={"projectId": "{parameters.projectId}"})),
                               text("content", "Content", required=True), text("description", "Description", multiline=True))),)),
        AppInfo(key=AppKey("slack"), name="Slack", primary_color="#4A154B", supports_connections=True, category="Messages",
                base_url="https://slack.com", auth=auth, connection_count=1, flow_count=2, triggers=(),
                actions=(ActionInfo(key="sendMessage", name="Send a message to channel",
                                    arguments=(text("channel", "Channel", required=True), text("message", "Message", required=True, multiline=True))),)),
        AppInfo(key=AppKey("deepl"), name="DeepL", primary_color="#0F2B46", supports_connections=True, category="Text",
                base_url="https://www.deepl.com", auth=auth, connection_count=1, flow_count=1, triggers=(),
                actions=(ActionInfo(key="translateText", name="Translate text", arguments=(text("text", "Text", required=True),)),)),
    ]  # fmt: skip
    return {app.key: app for app in made}


def browser_app() -> AppInfo:
    """An app that is connected in the browser; put it into `backend.apps` to use it."""
    return AppInfo(
        key=AppKey("forge"),
        name="Forge",
        primary_color="#C2410C",
        supports_connections=True,
        category="Development",
        base_url="https://forge.example",
        triggers=(),
        actions=(
            ActionInfo(
                key="createIssue", name="Create issue", arguments=(text("title", "Title", required=True),)
            ),
        ),
        auth=AuthInfo(
            uses_browser=True,
            fields=(
                AuthField(
                    key="oAuthRedirectUrl",
                    label="OAuth redirect URL",
                    required=True,
                    read_only=True,
                    click_to_copy=True,
                    value="http://127.0.0.1:8787/oauth/callback",
                    description="Enter this address where you register Patchbay at the service.",
                ),
                AuthField(key="clientId", label="Client ID", required=True),
                AuthField(key="clientSecret", label="Client secret"),
            ),
        ),
    )


_CHAINS: list[tuple[str, str, str | None, bool, list[tuple[str, str, str]]]] = [
    ("New GitHub issue → Todoist task", "flow-issues", "folder-eng", True,
     [("github", "newIssues", "New issues"), ("filter", "continueIfMatches", "Continue if conditions match"),
      ("deepl", "translateText", "Translate text"), ("todoist", "createTask", "Create task"),
      ("slack", "sendMessage", "Send a message to channel")]),
    ("Uptime alert → Slack and phone", "flow-uptime", "folder-eng", True,
     [("webhook", "catchRawWebhook", "Catch raw webhook"), ("filter", "continueIfMatches", "Only when down"),
      ("slack", "sendMessage", "Tell the channel"), ("http-request", "customRequest", "Ring the phone")]),
    ("Inventory check", "flow-inventory", "folder-ops", True,
     [("scheduler", "everyDay", "Every day"), ("http-request", "customRequest", "Fetch stock"),
      ("slack", "sendMessage", "Report")]),
    ("Invoice PDF → Drive folder", "flow-invoice", None, False,
     [("github", "newIssues", "New issues"), ("http-request", "customRequest", "Upload")]),
]  # fmt: skip


def connections() -> list[Connection]:
    def made(
        key: str, app: str, name: str, health: ConnectionHealth, reason: str | None = None
    ) -> Connection:
        return Connection(
            id=ConnectionId(key),
            app_key=AppKey(app),
            screen_name=name,
            verified=health is ConnectionHealth.VALID,
            health=health,
            reason=reason,
            flow_count=1,
            tested_at=None if health is ConnectionHealth.NEVER_TESTED else NOW - 23 * MINUTE,
            formatted_data={"screenName": name},
            created_at=NOW,
            updated_at=NOW,
        )

    return [
        made(
            "con-anna",
            "todoist",
            "Anna’s Todoist",
            ConnectionHealth.NEEDS_ATTENTION,
            "Todoist withdrew access at 14:26",
        ),
        made("con-ops", "todoist", "Ops team", ConnectionHealth.VALID),
        made("con-old", "todoist", "Import from old laptop", ConnectionHealth.NEVER_TESTED),
        made("con-gh", "github", "anna-lindqvist", ConnectionHealth.VALID),
        made("con-slack", "slack", "Patchbay HQ", ConnectionHealth.EXPIRES_SOON, "Expires tomorrow"),
        made("con-deepl", "deepl", "Team key", ConnectionHealth.VALID),
    ]


_CONNECTION_OF = {
    "github": ConnectionId("con-gh"),
    "todoist": ConnectionId("con-anna"),
    "slack": ConnectionId("con-slack"),
    "deepl": ConnectionId("con-deepl"),
}


def flows() -> list[Flow]:
    flows = []
    for number, (name, key, folder, active, chain) in enumerate(_CHAINS):
        steps = tuple(
            Step(
                id=StepId(f"{key}-{at}"),
                type=StepType.TRIGGER if at == 1 else StepType.ACTION,
                app_key=AppKey(app),
                key=event,
                name=label,
                position=at,
                connection_id=_CONNECTION_OF.get(app),
                parameters=_parameters(key, at, event),
                status=StepStatus.COMPLETED if active else StepStatus.INCOMPLETE,
                webhook_url=f"http://127.0.0.1:8787/webhooks/flows/{key}" if app == "webhook" else None,
            )
            for at, (app, event, label) in enumerate(chain, 1)
        )
        flows.append(
            Flow(
                id=FlowId(key),
                name=name,
                user_id=UserId("user-1"),
                folder_id=FolderId(folder) if folder else None,
                active=active,
                steps=steps,
                published_version=12 if active else None,
                has_unpublished_edits=number == 0,
                created_at=NOW - 80 * 86_400_000,
                updated_at=NOW - number * MINUTE,
            )
        )
    return flows


def _parameters(flow: str, at: int, event: str) -> JsonObject:
    first = f"{{{{step.{flow}-1."
    values: dict[str, JsonObject] = {
        "newIssues": {"repo": "patchbay/patchbay"},
        "everyDay": {"hour": 8},
        "continueIfMatches": {
            "or": [{"and": [{"key": first + "title}}", "operator": "contains", "value": "bug"}]}]
        },
        "translateText": {"text": first + "title}}"},
        "createTask": {"projectId": "bugs", "content": f"{first}number}}}} by {first}user.login}}}}"},
        "sendMessage": {"channel": "#ops", "message": f"News: {first}title}}}}"},
        "customRequest": {"method": "POST", "url": "https://example.org/hook", "data": first + "title}}"},
    }
    return values.get(event, {})


def step_ref(step: Step) -> StepRef:
    return StepRef(
        id=step.id, type=step.type, key=step.key, name=step.name, app_key=step.app_key, position=step.position
    )


def step_result(run: str, step: Step, state: StepState, start: int) -> ExecutionStep:
    failed = state is StepState.FAILURE
    error: JsonObject = {
        "happened": "Todoist returned “Unauthorized” (401).",
        "meaning": "Access was revoked. No task was created.",
        "todo": "Reconnect it, then run again.",
        "kind": "HttpError",
        "status": 401,
        "response": {"error": "Unauthorized", "error_tag": "UNAUTHORIZED", "http_code": 401},
    }
    out: JsonObject = {
        "title": "Crash when the folder name is empty",
        "number": 482,
        "locked": False,
        "milestone": None,
        "user": {"login": "mkowalski", "id": 77},
        "labels": ["bug", "from-github"],
    }
    return ExecutionStep(
        id=f"{run}:{step.position - 1}:1",
        execution_id=ExecutionId(run),
        step=step_ref(step),
        seq=step.position - 1,
        status=state,
        data_in=dict(step.parameters),
        data_out=None if failed else out,
        error_details=error if failed else None,
        started_at=start,
        finished_at=start + 380 * step.position,
        created_at=start,
        updated_at=start,
    )


_STATES = [
    _S.RUNNING,
    _S.SUCCESS,
    _S.FAILURE,
    _S.WAITING,
    _S.SUCCESS,
    _S.FAILURE,
    _S.FILTERED,
    _S.SUCCESS,
    _S.SUCCESS,
    _S.SUCCESS,
    _S.CANCELLED,
    _S.SUCCESS,
    _S.SUCCESS,
]
_NOTES = {
    _S.FAILURE: "Todoist refused the sign-in (401)",
    _S.WAITING: "Delay ends at 15:37",
    _S.FILTERED: "Amount is below 50.00",
    _S.CANCELLED: "Cancelled by you",
}


def execution(number: int, flows: list[Flow]) -> Execution:
    state = _STATES[number % len(_STATES)]
    flow = flows[number % len(flows)]
    total = len(flow.steps)
    created = NOW - number * 4 * MINUTE
    ref = FlowRef(
        id=flow.id,
        name=flow.name,
        active=flow.active,
        folder_id=flow.folder_id,
        steps=tuple(step_ref(step) for step in flow.steps),
    )
    return Execution(
        id=ExecutionId(f"exec-{number:06d}"),
        flow=ref,
        state=state,
        flow_version=12,
        test_run=number % 17 == 11,
        note=_NOTES.get(state),
        steps_total=total,
        steps_done=total if state is _S.SUCCESS else max(1, total - 1),
        started_at=created,
        finished_at=created + 1900 + number % 7 * 400 if state.finished else None,
        created_at=created,
        updated_at=created,
    )
