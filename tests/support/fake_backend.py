"""An in-memory `Backend` with believable data, for unit tests of view-models and widgets.

Reads answer from plain dictionaries; writes change them and announce the change. Put an error in
`failing[<method name>]` to have that method raise it; `calls` records what was asked.
"""

import asyncio
import itertools
from collections.abc import AsyncIterator, Sequence
from typing import Any

from patchbay.domain.apps import ActionInfo, AppInfo, AuthInfo, TriggerInfo, TriggerKind
from patchbay.domain.backend import (
    Capabilities,
    Change,
    EngineHealth,
    EngineState,
    Noun,
    StepTest,
    WorkspaceInfo,
)
from patchbay.domain.base import Json, JsonObject
from patchbay.domain.connections import Connection, DeviceCode, Health, SignIn
from patchbay.domain.errors import (
    AppError,
    Blocker,
    DifferentAccount,
    FlowNotReady,
    NotFound,
    ThirdPartyRefused,
    ValidationFailed,
)
from patchbay.domain.executions import (
    Execution,
    ExecutionFilter,
    ExecutionState,
    ExecutionStep,
    FlowActivity,
    FlowRef,
    Histogram,
    HistogramBar,
    RunMark,
    StepRef,
    StepState,
)
from patchbay.domain.fields import Argument, ArgumentType, AuthField, Option, Source
from patchbay.domain.flows import (
    Flow,
    FlowExport,
    FlowFilter,
    Step,
    StepChange,
    StepExport,
    StepStatus,
    StepType,
)
from patchbay.domain.organise import Folder, FolderStats, Template, User
from patchbay.domain.paging import Page, PageRequest
from patchbay.domain.secrets import SecretsHome, SecretsState

NOW = 1_763_650_860_000
"""20 November 2025, 15:01 UTC: the moment all data here is seen from."""
MINUTE = 60_000
_S = ExecutionState


def text(key: str, label: str, **more: Any) -> Argument:
    return Argument(key=key, label=label, variables=True, **more)


def apps() -> dict[str, AppInfo]:
    """A handful of apps with forms of every kind."""
    key_fields = (
        AuthField(key="screenName", label="Screen Name", required=True),
        AuthField(key="apiKey", label="API Key", required=True),
    )
    auth = AuthInfo(fields=key_fields)
    made = [
        AppInfo(key="webhook", name="Webhook", primary_color="#0059F7", category="Built in",
                triggers=(TriggerInfo(key="catchRawWebhook", name="Catch raw webhook", kind=TriggerKind.WEBHOOK,
                                      description="Starts when its address is called.", show_webhook_url=True,
                                      supports_connections=False),), actions=()),
        AppInfo(key="scheduler", name="Scheduler", primary_color="#0059F7", category="Built in",
                triggers=(TriggerInfo(key="everyDay", name="Every day", kind=TriggerKind.SCHEDULE,
                                      supports_connections=False, description="Starts once a day.",
                                      arguments=(Argument(key="hour", label="Hour", type=ArgumentType.DROPDOWN, required=True,
                                                 options=tuple(Option(label=f"{h}:00", value=h) for h in range(24))),)),),
                actions=()),
        AppInfo(key="filter", name="Filter", primary_color="#001F52", category="Built in", triggers=(),
                actions=(ActionInfo(key="continueIfMatches", name="Continue if conditions match",
                                    supports_connections=False,
                                    arguments=(Argument(key="or", label="Conditions", type=ArgumentType.CONDITIONS, variables=True),)),)),
        AppInfo(key="http-request", name="HTTP Request", primary_color="#000000", category="Built in", triggers=(),
                actions=(ActionInfo(key="customRequest", name="Custom request", supports_connections=False,
                    description="Calls any address.",
                    arguments=(Argument(key="method", label="Method", type=ArgumentType.DROPDOWN, required=True, value="GET",
                                        options=tuple(Option(label=m, value=m) for m in ("GET", "POST", "PUT", "PATCH", "DELETE"))),
                               text("url", "URL", required=True), text("data", "Body", multiline=True),
                               Argument(key="headers", label="Headers", type=ArgumentType.DYNAMIC, add_button_label="Add header",
                                        fields=(text("key", "Key", required=True), text("value", "Value", required=True))))),)),
        AppInfo(key="github", name="GitHub", primary_color="#181717", supports_connections=True, category="Development",
                base_url="https://github.com", auth=auth, connection_count=1, flow_count=2,
                triggers=(TriggerInfo(key="newIssues", name="New issues", description="Starts when an issue is opened.",
                                      arguments=(Argument(key="repo", label="Repository", type=ArgumentType.DROPDOWN, required=True,
                                                          source=Source(loader="listRepos")),)),),
                actions=(ActionInfo(key="createIssue", name="Create issue", description="Opens an issue.",
                                    arguments=(text("title", "Title", required=True),)),)),
        AppInfo(key="todoist", name="Todoist", primary_color="#E44332", supports_connections=True, category="Tasks",
                base_url="https://todoist.com", auth=auth, connection_count=3, flow_count=1, triggers=(),
                actions=(ActionInfo(key="createTask", name="Create task", description="Adds a task to a project.",
                    arguments=(Argument(key="projectId", label="Project", type=ArgumentType.DROPDOWN, required=True, source=Source(loader="listProjects")),
                               Argument(key="sectionId", label="Section", type=ArgumentType.DROPDOWN, depends_on=("projectId",),
                                        source=Source(loader="listSections", parameters={"projectId": "{parameters.projectId}"})),
                               text("content", "Content", required=True), text("description", "Description", multiline=True))),)),
        AppInfo(key="slack", name="Slack", primary_color="#4A154B", supports_connections=True, category="Messages",
                base_url="https://slack.com", auth=auth, connection_count=1, flow_count=2, triggers=(),
                actions=(ActionInfo(key="sendMessage", name="Send a message to channel",
                                    arguments=(text("channel", "Channel", required=True), text("message", "Message", required=True, multiline=True))),)),
        AppInfo(key="deepl", name="DeepL", primary_color="#0F2B46", supports_connections=True, category="Text",
                base_url="https://www.deepl.com", auth=auth, connection_count=1, flow_count=1, triggers=(),
                actions=(ActionInfo(key="translateText", name="Translate text", arguments=(text("text", "Text", required=True),)),)),
    ]  # fmt: skip
    return {app.key: app for app in made}


def browser_app() -> AppInfo:
    """An app that is connected in the browser; put it into `backend.apps` to use it."""
    return AppInfo(
        key="forge", name="Forge", primary_color="#C2410C", supports_connections=True, category="Development",
        base_url="https://forge.example", triggers=(),
        actions=(ActionInfo(key="createIssue", name="Create issue",
                            arguments=(text("title", "Title", required=True),)),),
        auth=AuthInfo(
            uses_browser=True,
            fields=(
                AuthField(key="oAuthRedirectUrl", label="OAuth Redirect URL", required=True, read_only=True,
                          click_to_copy=True, value="http://127.0.0.1:8787/oauth/callback",
                          description="Enter this address where you register Patchbay at the service."),
                AuthField(key="clientId", label="Client ID", required=True),
                AuthField(key="clientSecret", label="Client Secret"),
            ),
        ),
    )  # fmt: skip


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


class FakeBackend:
    """See the module. `executions` newest first."""

    def __init__(self, executions: int = 366) -> None:
        self.capabilities = Capabilities()
        self.failing: dict[str, AppError] = {}
        self.calls: list[tuple[str, tuple[Any, ...]]] = []
        self.delay = 0.0
        self.sign_ins: dict[str, tuple[SignIn, JsonObject, str | None, asyncio.Future[str]]] = {}
        self.device: DeviceCode | None = None
        """Put one here to have sign-ins use the device flow."""
        self.other_account = ""
        """The account that reconnecting finds; put one here to have it ask first."""
        self._ids = itertools.count(1)
        self._listeners: list[asyncio.Queue[Change | None]] = []
        self.apps = apps()
        self.folders = {
            key: Folder(id=key, name=name, user_id="user-1", created_at=NOW - 90 * 86_400_000)
            for key, name in (
                ("folder-cus", "Customers"),
                ("folder-eng", "Engineering"),
                ("folder-ops", "Operations"),
            )
        }
        self.connections = {item.id: item for item in _connections()}
        self.flows = {flow.id: flow for flow in _flows()}
        self.executions = [_execution(number, list(self.flows.values())) for number in range(executions)]
        self.templates = {
            "tpl-1": Template(id="tpl-1", name="Feed to chat", description="New articles as messages.", category="Messages",
                              flow_data=self._export(self.flows["flow-inventory"]).wire(), created_at=NOW),
        }  # fmt: skip
        self.secrets = SecretsState(
            name="system keyring", kept="Encrypted; the key is in the system keyring.", stored=6
        )
        self.deleted: dict[str, Any] = {}

    async def _enter(self, name: str, *arguments: Any) -> None:
        self.calls.append((name, arguments))
        await asyncio.sleep(self.delay)
        if error := self.failing.get(name):
            raise error

    def announce(self, noun: Noun, *ids: str, action: Any = "updated") -> Change:
        change = Change(noun=noun, ids=ids, action=action)
        for queue in self._listeners:
            queue.put_nowait(change)
        return change

    # Workspace
    async def info(self) -> WorkspaceInfo:
        await self._enter("info")
        return WorkspaceInfo(kind="local", name="This computer", address="http://127.0.0.1:8787",
                             secrets_kept="Encrypted in your data folder; the key to it is in the system keyring.", version="0.1.0")  # fmt: skip

    async def health(self) -> EngineHealth:
        await self._enter("health")
        return EngineHealth(state=EngineState.RUNNING, running=1, waiting=2, failures_today=7,
                            next_run_at=NOW + 4 * MINUTE, next_flow="Inventory check", started_at=NOW - 3_600_000)  # fmt: skip

    async def changes(self) -> AsyncIterator[Change]:
        queue: asyncio.Queue[Change | None] = asyncio.Queue()
        self._listeners.append(queue)
        while (change := await queue.get()) is not None:
            yield change

    async def close(self) -> None:
        for queue in self._listeners:
            queue.put_nowait(None)

    # Apps
    async def list_apps(self) -> tuple[AppInfo, ...]:
        await self._enter("list_apps")
        bare = {"auth": None, "triggers": None, "actions": None}
        return tuple(
            sorted((app.model_copy(update=bare) for app in self.apps.values()), key=lambda app: app.name)
        )

    async def get_app(self, key: str) -> AppInfo:
        await self._enter("get_app", key)
        return _found(self.apps, key, "app")

    # Connections
    async def list_connections(self, app_key: str | None = None) -> tuple[Connection, ...]:
        await self._enter("list_connections", app_key)
        return tuple(item for item in self.connections.values() if app_key in (None, item.app_key))

    async def get_connection(self, connection_id: str) -> Connection:
        await self._enter("get_connection", connection_id)
        return _found(self.connections, connection_id, "connection")

    async def add_connection(self, app_key: str, values: JsonObject) -> Connection:
        await self._enter("add_connection", app_key, values)
        if values.get("apiKey") == "wrong":
            raise ThirdPartyRefused(app=self.apps[app_key].name, said="Invalid API key", status=401,
                                    meaning="The API key was not accepted.", todo="Copy the key again, then test.",
                                    details={"error": "Invalid API key"}, request="GET /me")  # fmt: skip
        made = Connection(id=self._new_id("con"), app_key=app_key, screen_name=str(values.get("screenName", "")),
                          verified=True, health=Health.VALID, tested_at=NOW, created_at=NOW, updated_at=NOW,
                          formatted_data={"screenName": values.get("screenName", "")})  # fmt: skip
        self.connections[made.id] = made
        self.announce(Noun.CONNECTION, made.id, action="created")
        return made

    async def reconnect(
        self, connection_id: str, values: JsonObject, *, accept_other_account: bool = False
    ) -> Connection:
        await self._enter("reconnect", connection_id, values)
        if self.other_account and not accept_other_account:
            raise DifferentAccount(
                before=self.connections[connection_id].screen_name, now=self.other_account
            )  # fmt: skip
        return self._renewed(connection_id)

    def _renewed(self, connection_id: str) -> Connection:
        kept = _found(self.connections, connection_id, "connection")
        return self._put(
            self.connections,
            Noun.CONNECTION,
            kept,
            health=Health.VALID,
            verified=True,
            reason=None,
            tested_at=NOW,
        )

    async def begin_sign_in(
        self, app_key: str, values: JsonObject, connection_id: str | None = None
    ) -> SignIn:
        await self._enter("begin_sign_in", app_key, values, connection_id)
        sign_in_id = self._new_id("sign-in")
        began = SignIn(
            id=sign_in_id, app_key=app_key, url=f"https://{app_key}.example/authorize?state={sign_in_id}",
            redirect_url="http://127.0.0.1:8787/oauth/callback", expires_at=NOW + 10 * MINUTE,
            device=self.device,
        )  # fmt: skip
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.sign_ins[sign_in_id] = (began, values, connection_id, answer)
        return began

    def come_back(self, sign_in_id: str, screen_name: str = "Ada", *, error: AppError | None = None) -> None:
        """The person agreed in the browser, or the third party refused. Call it on the loop's thread."""
        answer = self.sign_ins[sign_in_id][3]
        if error is not None:
            answer.set_exception(error)
        else:
            answer.set_result(screen_name)

    async def finish_sign_in(self, sign_in_id: str, *, accept_other_account: bool = False) -> Connection:
        await self._enter("finish_sign_in", sign_in_id, accept_other_account)
        began, _, connection_id, answer = _found(self.sign_ins, sign_in_id, "sign-in")
        name = await asyncio.shield(answer)
        if connection_id is not None:
            if self.other_account and not accept_other_account:
                raise DifferentAccount(
                    before=self.connections[connection_id].screen_name, now=self.other_account
                )
            del self.sign_ins[sign_in_id]
            return self._renewed(connection_id)
        del self.sign_ins[sign_in_id]
        made = Connection(id=self._new_id("con"), app_key=began.app_key, screen_name=name, verified=True,
                          health=Health.VALID, tested_at=NOW, created_at=NOW, updated_at=NOW,
                          formatted_data={"screenName": name})  # fmt: skip
        self.connections[made.id] = made
        self.announce(Noun.CONNECTION, made.id, action="created")
        return made

    async def paste_callback(self, sign_in_id: str, address: str) -> None:
        await self._enter("paste_callback", sign_in_id, address)
        _found(self.sign_ins, sign_in_id, "sign-in")
        if "state=" not in address:
            raise ValidationFailed({"address": ["Paste the whole address, with everything after the “?”."]})
        self.come_back(sign_in_id)

    async def cancel_sign_in(self, sign_in_id: str) -> None:
        await self._enter("cancel_sign_in", sign_in_id)
        began = self.sign_ins.pop(sign_in_id, None)
        if began is not None and not began[3].done():
            began[3].set_exception(NotFound("This sign-in was cancelled."))
            began[3].exception()

    async def duplicate_connection(self, connection_id: str, screen_name: str) -> Connection:
        await self._enter("duplicate_connection", connection_id, screen_name)
        kept = _found(self.connections, connection_id, "connection")
        made = kept.model_copy(
            update={"id": self._new_id("con"), "screen_name": screen_name, "flow_count": 0}
        )
        self.connections[made.id] = made
        self.announce(Noun.CONNECTION, made.id, action="created")
        return made

    async def test_connection(self, connection_id: str) -> Connection:
        await self._enter("test_connection", connection_id)
        kept = _found(self.connections, connection_id, "connection")
        health = Health.NEEDS_ATTENTION if kept.reason else Health.VALID
        return self._put(self.connections, Noun.CONNECTION, kept, health=health, tested_at=NOW)

    async def rename_connection(self, connection_id: str, screen_name: str) -> Connection:
        await self._enter("rename_connection", connection_id, screen_name)
        return self._put(
            self.connections,
            Noun.CONNECTION,
            _found(self.connections, connection_id, "connection"),
            screen_name=screen_name,
        )

    async def delete_connection(self, connection_id: str) -> Change:
        await self._enter("delete_connection", connection_id)
        return self._delete(self.connections, Noun.CONNECTION, connection_id)

    async def restore_connection(self, connection_id: str) -> Connection:
        await self._enter("restore_connection", connection_id)
        return self._restore(self.connections, Noun.CONNECTION, connection_id)

    # Where secrets are
    async def secrets_state(self) -> SecretsState:
        await self._enter("secrets_state")
        return self.secrets

    async def move_secrets(self, home: SecretsHome) -> SecretsState:
        await self._enter("move_secrets", home)
        self.secrets = self.secrets.model_copy(update={"home": home})
        return self.secrets

    async def give_up_lost_secrets(self) -> int:
        await self._enter("give_up_lost_secrets")
        lost = self.secrets.stored if self.secrets.lost else 0
        self.secrets = self.secrets.model_copy(
            update={"stored": self.secrets.stored - lost, "problem": None, "reason": None}
        )
        return lost

    # Flows
    async def list_flows(self, where: FlowFilter, page: PageRequest) -> Page[Flow]:
        await self._enter("list_flows", where, page)
        found = [flow for flow in self.flows.values() if _flow_matches(flow, where)]
        found.sort(key=lambda flow: (not flow.active, -flow.updated_at))
        return _page(found, page)

    async def get_flow(self, flow_id: str) -> Flow:
        await self._enter("get_flow", flow_id)
        return _found(self.flows, flow_id, "flow")

    async def flow_activity(self, flow_ids: Sequence[str]) -> tuple[FlowActivity, ...]:
        await self._enter("flow_activity", tuple(flow_ids))
        return tuple(self._activity(flow_id) for flow_id in flow_ids)

    def _activity(self, flow_id: str) -> FlowActivity:
        runs = [item for item in self.executions if item.flow.id == flow_id]
        marks = tuple(RunMark(state=item.state, duration_ms=item.duration_ms) for item in reversed(runs[:20]))
        attention = "Todoist needs reconnecting" if flow_id == "flow-issues" else None
        return FlowActivity(flow_id=flow_id, last=runs[0] if runs else None, recent=marks,
                            next_run_at=NOW + 8 * MINUTE, attention=attention)  # fmt: skip

    async def create_flow(
        self, name: str | None = None, folder_id: str | None = None, user_id: str | None = None
    ) -> Flow:
        await self._enter("create_flow", name, folder_id)
        steps = (Step(id=self._new_id("step"), type=StepType.TRIGGER, position=1),
                 Step(id=self._new_id("step"), type=StepType.ACTION, position=2))  # fmt: skip
        return self._add_flow(name or "Name your flow", steps, folder_id)

    async def update_flow(
        self, flow_id: str, *, name: str | None = None, execution_interval: int | None = None
    ) -> Flow:
        await self._enter("update_flow", flow_id, name, execution_interval)
        given = {"name": name, "execution_interval": execution_interval}
        return self._edit(flow_id, **{key: value for key, value in given.items() if value is not None})

    async def move_flow(self, flow_id: str, folder_id: str | None) -> Flow:
        await self._enter("move_flow", flow_id, folder_id)
        return self._edit(flow_id, folder_id=folder_id)

    async def duplicate_flow(self, flow_id: str) -> Flow:
        await self._enter("duplicate_flow", flow_id)
        original = _found(self.flows, flow_id, "flow")
        steps = tuple(step.model_copy(update={"id": self._new_id("step")}) for step in original.steps)
        return self._add_flow(f"Copy of {original.name}", steps, None)

    async def delete_flow(self, flow_id: str) -> Change:
        await self._enter("delete_flow", flow_id)
        return self._delete(self.flows, Noun.FLOW, flow_id)

    async def restore_flow(self, flow_id: str) -> Flow:
        await self._enter("restore_flow", flow_id)
        return self._restore(self.flows, Noun.FLOW, flow_id)

    async def import_flow(self, export: FlowExport) -> Flow:
        await self._enter("import_flow", export)
        steps = tuple(
            Step(id=self._new_id("step"), type=item.type, key=item.key, name=item.name, app_key=item.app_key,
                 position=item.position, parameters=item.parameters) for item in export.steps
        )  # fmt: skip
        return self._add_flow(export.name, steps, None)

    async def export_flow(self, flow_id: str) -> FlowExport:
        await self._enter("export_flow", flow_id)
        return self._export(_found(self.flows, flow_id, "flow"))

    async def publish_flow(self, flow_id: str) -> Flow:
        await self._enter("publish_flow", flow_id)
        flow = _found(self.flows, flow_id, "flow")
        missing = [step for step in flow.steps if step.status is not StepStatus.COMPLETED]
        if missing:
            raise FlowNotReady([
                Blocker(step_id=step.id, position=step.position, reason="Not tested yet." if step.key else "Choose an app.")
                for step in missing
            ])  # fmt: skip
        version = (flow.published_version or 0) + 1
        return self._edit(flow_id, active=True, published_version=version, has_unpublished_edits=False)

    async def unpublish_flow(self, flow_id: str) -> Flow:
        await self._enter("unpublish_flow", flow_id)
        return self._edit(flow_id, active=False)

    async def run_flow(self, flow_id: str, item: Json = None) -> str:
        await self._enter("run_flow", flow_id, item)
        flow = _found(self.flows, flow_id, "flow")
        made = _execution(0, [flow]).model_copy(
            update={"id": self._new_id("exec"), "created_at": NOW, "state": _S.RUNNING}
        )
        self.executions.insert(0, made)
        self.announce(Noun.EXECUTION, made.id, action="created")
        return made.id

    # Steps
    async def add_step(self, flow_id: str, after: str | None = None) -> Flow:
        await self._enter("add_step", flow_id, after)
        steps = list(_found(self.flows, flow_id, "flow").steps)
        index = next((at + 1 for at, step in enumerate(steps) if step.id == after), len(steps))
        steps.insert(index, Step(id=self._new_id("step"), type=StepType.ACTION))
        return self._edit(flow_id, steps=_numbered(steps))

    async def update_step(self, step_id: str, change: StepChange) -> Flow:
        await self._enter("update_step", step_id, change)
        given = {name: getattr(change, name) for name in change.model_fields_set}
        if "app_key" in given:
            given = {"key": None, "connection_id": None, "parameters": {}} | given
        elif "key" in given:
            given = {"parameters": {}} | given
        return self._edit_step(step_id, status=StepStatus.INCOMPLETE, tested=None, **given)

    async def move_step(self, step_id: str, position: int) -> Flow:
        await self._enter("move_step", step_id, position)
        flow, step = self._step(step_id)
        steps = [item for item in flow.steps if item.id != step_id]
        steps.insert(max(2, position) - 1, step)
        return self._edit(flow.id, steps=_numbered(steps))

    async def delete_step(self, step_id: str) -> Flow:
        await self._enter("delete_step", step_id)
        flow, step = self._step(step_id)
        self.deleted[step_id] = (flow.id, step)
        return self._edit(flow.id, steps=_numbered([item for item in flow.steps if item.id != step_id]))

    async def restore_step(self, step_id: str) -> Flow:
        await self._enter("restore_step", step_id)
        flow_id, step = self.deleted.pop(step_id)
        steps = list(self.flows[flow_id].steps)
        steps.insert(step.position - 1, step)
        return self._edit(flow_id, steps=_numbered(steps))

    async def test_step(self, step_id: str) -> StepTest:
        await self._enter("test_step", step_id)
        flow, step = self._step(step_id)
        result = ExecutionStep(id="exec-test:0:1", execution_id="exec-test", step=_ref(step), seq=step.position - 1,
                               status=StepState.SUCCESS, data_in=dict(step.parameters), data_out={"ok": True, "id": 8132094417},
                               started_at=NOW, finished_at=NOW + 412, created_at=NOW, updated_at=NOW)  # fmt: skip
        flow = self._edit_step(step_id, status=StepStatus.COMPLETED, tested="passed")
        return StepTest(flow=flow, execution_id="exec-test", result=result)

    async def skip_step_test(self, step_id: str) -> Flow:
        await self._enter("skip_step_test", step_id)
        return self._edit_step(step_id, status=StepStatus.COMPLETED, tested="skipped")

    async def step_samples(self, flow_id: str) -> tuple[ExecutionStep, ...]:
        await self._enter("step_samples", flow_id)
        return tuple(
            _step_result("exec-sample", step, StepState.SUCCESS, NOW - 22 * MINUTE)
            for step in _found(self.flows, flow_id, "flow").steps if step.key
        )  # fmt: skip

    async def dynamic_options(self, step_id: str, loader: str, parameters: JsonObject) -> tuple[Option, ...]:
        await self._enter("dynamic_options", step_id, loader, parameters)
        return (
            Option(label="Inbox", value="inbox"),
            Option(label="Bugs", value="bugs"),
            Option(label="Docs", value="docs"),
        )

    async def dynamic_fields(self, step_id: str, loader: str, parameters: JsonObject) -> tuple[Argument, ...]:
        await self._enter("dynamic_fields", step_id, loader, parameters)
        return (text("input", "Input", required=True),)

    # Executions
    async def list_executions(self, where: ExecutionFilter, page: PageRequest) -> Page[Execution]:
        await self._enter("list_executions", where, page)
        return _page([item for item in self.executions if _matches(item, where)], page)

    async def get_execution(self, execution_id: str) -> Execution:
        await self._enter("get_execution", execution_id)
        return _found({item.id: item for item in self.executions}, execution_id, "execution")

    async def execution_steps(self, execution_id: str) -> tuple[ExecutionStep, ...]:
        await self._enter("execution_steps", execution_id)
        run = _found({item.id: item for item in self.executions}, execution_id, "execution")
        flow = self.flows[run.flow.id]
        failed = run.state is _S.FAILURE
        last = run.steps_done - 1
        return tuple(
            _step_result(run.id, step, StepState.FAILURE if failed and at == last else StepState.SUCCESS,
                         run.created_at + at * 400)
            for at, step in enumerate(flow.steps[: run.steps_done])
        )  # fmt: skip

    async def histogram(self, where: ExecutionFilter, start: int, end: int, bars: int) -> Histogram:
        await self._enter("histogram", where, start, end, bars)
        span = (end - start) // bars
        counts = [[0, 0, 0] for _ in range(bars)]
        where = where.model_copy(update={"started_after": None, "ended_before": None})
        for item in self.executions:
            if _matches(item, where) and start <= item.created_at < end:
                kind = 0 if item.state is _S.SUCCESS else 1 if item.state is _S.FAILURE else 2
                counts[min(bars - 1, (item.created_at - start) // span)][kind] += 1
        made = (
            HistogramBar(start=start + at * span, success=s, failure=f, other=o)
            for at, (s, f, o) in enumerate(counts)
        )
        return Histogram(span_ms=span, bars=tuple(made))

    # Folders, templates, people
    async def list_folders(self, user_id: str | None = None) -> tuple[Folder, ...]:
        await self._enter("list_folders", user_id)
        return tuple(sorted(self.folders.values(), key=lambda folder: folder.name))

    async def folder_stats(self) -> tuple[FolderStats, ...]:
        await self._enter("folder_stats")
        return tuple(
            FolderStats(folder_id=key, flows=len(inside), published=sum(flow.active for flow in inside), runs=412,
                        failures=4, last_run_at=NOW - 4 * MINUTE)
            for key in [*self.folders, None]
            for inside in [[flow for flow in self.flows.values() if flow.folder_id == key]]
        )  # fmt: skip

    async def create_folder(self, name: str, user_id: str | None = None) -> Folder:
        await self._enter("create_folder", name, user_id)
        made = Folder(id=self._new_id("folder"), name=name, user_id="user-1", created_at=NOW, updated_at=NOW)
        self.folders[made.id] = made
        self.announce(Noun.FOLDER, made.id, action="created")
        return made

    async def rename_folder(self, folder_id: str, name: str, user_id: str | None = None) -> Folder:
        await self._enter("rename_folder", folder_id, name)
        return self._put(self.folders, Noun.FOLDER, _found(self.folders, folder_id, "folder"), name=name)

    async def delete_folder(self, folder_id: str, user_id: str | None = None) -> Change:
        await self._enter("delete_folder", folder_id, user_id)
        for flow in [flow for flow in self.flows.values() if flow.folder_id == folder_id]:
            self._edit(flow.id, folder_id=None)
        return self._delete(self.folders, Noun.FOLDER, folder_id)

    async def list_templates(self) -> tuple[Template, ...]:
        await self._enter("list_templates")
        return tuple(self.templates.values())

    async def create_template(self, name: str, flow_id: str) -> Template:
        await self._enter("create_template", name, flow_id)
        made = Template(
            id=self._new_id("tpl"),
            name=name,
            flow_data=self._export(self.flows[flow_id]).wire(),
            created_at=NOW,
        )
        self.templates[made.id] = made
        self.announce(Noun.TEMPLATE, made.id, action="created")
        return made

    async def delete_template(self, template_id: str) -> Change:
        await self._enter("delete_template", template_id)
        return self._delete(self.templates, Noun.TEMPLATE, template_id)

    async def use_template(self, template_id: str, user_id: str | None = None) -> Flow:
        await self._enter("use_template", template_id)
        return await self.import_flow(
            FlowExport.model_validate(_found(self.templates, template_id, "template").flow_data)
        )

    async def list_users(self) -> tuple[User, ...]:
        await self._enter("list_users")
        return (User(id="user-1", full_name="Anna Lindqvist", email="anna@example.org", created_at=NOW),)

    # How the above is kept
    def _new_id(self, kind: str) -> str:
        return f"{kind}-new-{next(self._ids)}"

    def _add_flow(self, name: str, steps: tuple[Step, ...], folder_id: str | None) -> Flow:
        made = Flow(
            id=self._new_id("flow"),
            name=name,
            user_id="user-1",
            folder_id=folder_id,
            steps=steps,
            created_at=NOW,
            updated_at=NOW,
        )
        self.flows[made.id] = made
        self.announce(Noun.FLOW, made.id, action="created")
        return made

    def _put(self, where: dict[str, Any], noun: Noun, kept: Any, **update: Any) -> Any:
        where[kept.id] = made = kept.model_copy(update=update)
        self.announce(noun, kept.id)
        return made

    def _edit(self, flow_id: str, **update: Any) -> Flow:
        made: Flow = self._put(self.flows, Noun.FLOW, _found(self.flows, flow_id, "flow"), **update)
        return made

    def _step(self, step_id: str) -> tuple[Flow, Step]:
        for flow in self.flows.values():
            if step := flow.step(step_id):
                return flow, step
        raise NotFound("This step is gone.")

    def _edit_step(self, step_id: str, **update: Any) -> Flow:
        flow, step = self._step(step_id)
        made = step.model_copy(update=update)
        steps = tuple(made if item.id == step_id else item for item in flow.steps)
        return self._edit(flow.id, steps=steps, has_unpublished_edits=flow.active)

    def _delete(self, where: dict[str, Any], noun: Noun, key: str) -> Change:
        self.deleted[key] = _found(where, key, noun)
        del where[key]
        return self.announce(noun, key, action="deleted")

    def _restore(self, where: dict[str, Any], noun: Noun, key: str) -> Any:
        where[key] = self.deleted.pop(key)
        self.announce(noun, key, action="created")
        return where[key]

    @staticmethod
    def _export(flow: Flow) -> FlowExport:
        steps = tuple(
            StepExport(id=step.id, key=step.key, name=step.name, app_key=step.app_key, type=step.type,
                       parameters=step.parameters, position=step.position) for step in flow.steps
        )  # fmt: skip
        return FlowExport(id=flow.id, name=flow.name, steps=steps)


def _found(where: dict[str, Any], key: str, noun: str) -> Any:
    if key not in where:
        raise NotFound(f"This {noun} is gone.", meaning="Somebody deleted it meanwhile.")
    return where[key]


def _page(items: list[Any], page: PageRequest) -> Page[Any]:
    start = int(page.cursor) if page.cursor else (page.page - 1) * page.limit
    end = start + page.limit
    cursor = str(end) if end < len(items) else None
    return Page(
        items=tuple(items[start:end]), total=len(items), page=page.page, limit=page.limit, next_cursor=cursor
    )


def _numbered(steps: list[Step]) -> tuple[Step, ...]:
    return tuple(step.model_copy(update={"position": at}) for at, step in enumerate(steps, 1))


def _flow_matches(flow: Flow, where: FlowFilter) -> bool:
    folder = None if where.folder_id == "null" else where.folder_id
    return (
        (where.name is None or where.name.lower() in flow.name.lower())
        and (where.status is None or where.status is flow.status)
        and (where.folder_id is None or flow.folder_id == folder)
        and (where.app_key is None or where.app_key in flow.app_keys)
        and (
            where.connection_id is None
            or any(step.connection_id == where.connection_id for step in flow.steps)
        )
    )


def _matches(item: Execution, where: ExecutionFilter) -> bool:
    return (
        (where.name is None or where.name.lower() in item.flow.name.lower())
        and (where.status is None or where.status == item.status)
        and (not where.states or item.state in where.states)
        and (where.started_after is None or item.created_at >= where.started_after)
        and (where.ended_before is None or item.created_at <= where.ended_before)
        and (where.flow_id is None or item.flow.id == where.flow_id)
        and (where.folder_id is None or item.flow.folder_id == where.folder_id)
        and (where.app_key is None or where.app_key in item.flow.app_keys)
        and (where.test_run is None or item.test_run == where.test_run)
        and (where.note is None or where.note in (item.note or ""))
    )


def _connections() -> list[Connection]:
    def made(key: str, app: str, name: str, health: Health, reason: str | None = None) -> Connection:
        return Connection(id=key, app_key=app, screen_name=name, verified=health is Health.VALID, health=health, reason=reason,
                          flow_count=1, tested_at=None if health is Health.NEVER_TESTED else NOW - 23 * MINUTE,
                          formatted_data={"screenName": name}, created_at=NOW, updated_at=NOW)  # fmt: skip

    return [
        made(
            "con-anna",
            "todoist",
            "Anna’s Todoist",
            Health.NEEDS_ATTENTION,
            "Todoist withdrew access at 14:26",
        ),
        made("con-ops", "todoist", "Ops team", Health.VALID),
        made("con-old", "todoist", "Import from old laptop", Health.NEVER_TESTED),
        made("con-gh", "github", "anna-lindqvist", Health.VALID),
        made("con-slack", "slack", "Patchbay HQ", Health.EXPIRES_SOON, "Expires tomorrow"),
        made("con-deepl", "deepl", "Team key", Health.VALID),
    ]


_CONNECTION_OF = {"github": "con-gh", "todoist": "con-anna", "slack": "con-slack", "deepl": "con-deepl"}


def _flows() -> list[Flow]:
    flows = []
    for number, (name, key, folder, active, chain) in enumerate(_CHAINS):
        steps = tuple(
            Step(id=f"{key}-{at}", type=StepType.TRIGGER if at == 1 else StepType.ACTION, app_key=app, key=event, name=label,
                 position=at, connection_id=_CONNECTION_OF.get(app), parameters=_parameters(key, at, event),
                 status=StepStatus.COMPLETED if active else StepStatus.INCOMPLETE,
                 webhook_url=f"http://127.0.0.1:8787/webhooks/flows/{key}" if app == "webhook" else None)
            for at, (app, event, label) in enumerate(chain, 1)
        )  # fmt: skip
        flows.append(Flow(id=key, name=name, user_id="user-1", folder_id=folder, active=active, steps=steps,
                          published_version=12 if active else None, has_unpublished_edits=number == 0,
                          created_at=NOW - 80 * 86_400_000, updated_at=NOW - number * MINUTE))  # fmt: skip
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


def _ref(step: Step) -> StepRef:
    return StepRef(
        id=step.id, type=step.type, key=step.key, name=step.name, app_key=step.app_key, position=step.position
    )


def _step_result(run: str, step: Step, state: StepState, start: int) -> ExecutionStep:
    failed = state is StepState.FAILURE
    error: JsonObject = {
        "happened": "Todoist answered “Unauthorized” (401).", "meaning": "Access was revoked. No task was created.",
        "todo": "Reconnect it, then run again.", "kind": "HttpError", "status": 401,
        "response": {"error": "Unauthorized", "error_tag": "UNAUTHORIZED", "http_code": 401},
    }  # fmt: skip
    out: JsonObject = {"title": "Crash when the folder name is empty", "number": 482, "locked": False, "milestone": None,
                       "user": {"login": "mkowalski", "id": 77}, "labels": ["bug", "from-github"]}  # fmt: skip
    return ExecutionStep(id=f"{run}:{step.position - 1}:1", execution_id=run, step=_ref(step), seq=step.position - 1,
                         status=state, data_in=dict(step.parameters), data_out=None if failed else out,
                         error_details=error if failed else None, started_at=start, finished_at=start + 380 * step.position,
                         created_at=start, updated_at=start)  # fmt: skip


_STATES = [_S.RUNNING, _S.SUCCESS, _S.FAILURE, _S.WAITING, _S.SUCCESS, _S.FAILURE, _S.FILTERED, _S.SUCCESS, _S.SUCCESS,
           _S.SUCCESS, _S.CANCELLED, _S.SUCCESS, _S.SUCCESS]  # fmt: skip
_NOTES = {
    _S.FAILURE: "Todoist refused the sign-in (401)", _S.WAITING: "Delay ends at 15:37",
    _S.FILTERED: "Amount is below 50.00", _S.CANCELLED: "Cancelled by you",
}  # fmt: skip


def _execution(number: int, flows: list[Flow]) -> Execution:
    state = _STATES[number % len(_STATES)]
    flow = flows[number % len(flows)]
    total = len(flow.steps)
    created = NOW - number * 4 * MINUTE
    ref = FlowRef(
        id=flow.id,
        name=flow.name,
        active=flow.active,
        folder_id=flow.folder_id,
        steps=tuple(_ref(step) for step in flow.steps),
    )
    return Execution(id=f"exec-{number:06d}", flow=ref, state=state, flow_version=12, test_run=number % 17 == 11,
                     note=_NOTES.get(state), steps_total=total, steps_done=total if state is _S.SUCCESS else max(1, total - 1),
                     started_at=created, finished_at=created + 1900 + number % 7 * 400 if state.finished else None,
                     created_at=created, updated_at=created)  # fmt: skip
