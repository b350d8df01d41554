"""A small third party, a help desk that accepts one API key over real HTTP, and the app that speaks to it."""

import json
import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from uuid import uuid4

from patchbay.domain.base import AppKey
from patchbay.domain.errors import RateLimited, ThirdPartyError
from patchbay.integration import (
    Action,
    App,
    Auth,
    Context,
    DynamicData,
    DynamicFields,
    Option,
    Trigger,
    TriggerKind,
    api_key_field,
    api_key_fields,
    dropdown,
    header_key,
    oauth_fields,
    text,
)

DESK = AppKey("desk")
TOOLS = AppKey("tools")


class DeskService:
    """Runs on 127.0.0.1 in a thread. `good_key` is the key it accepts; tests may change it any time.

    `failing`: the status with which it answers everything.
    """

    def __init__(self, good_key: str = "dk-4f1c9a7e55b20d68c3") -> None:
        self.good_key = good_key
        self.failing: int | None = None
        self.calls: list[str] = []
        self.tickets: list[dict[str, Any]] = [{"id": 2, "title": "Two"}, {"id": 1, "title": "One"}]
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def answer(self, method: str, path: str, key: str | None, body: Any) -> tuple[int, Any]:
        self.calls.append(f"{method} {path}")
        if self.failing:
            return self.failing, {"message": "Not now"}
        if key != self.good_key:
            return 401, {"message": "Invalid API key"}
        if method == "POST" and path == "/tickets":
            self.tickets.insert(0, {"id": len(self.tickets) + 1, **body})
            return 201, self.tickets[0]
        known = {
            "/me": {"login": "ada"},
            "/tickets": self.tickets,
            "/projects": [{"id": 7, "name": "Engines"}],
        }
        return (200, known[path]) if path in known else (404, {"message": "No such page"})

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                size = int(self.headers.get("content-length") or 0)
                body = json.loads(self.rfile.read(size)) if size else None
                status, answer = service.answer(self.command, self.path, self.headers.get("X-Desk-Key"), body)
                data = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def do_POST(self) -> None:
                self.do_GET()

            def log_message(self, format: str, *args: Any) -> None:
                pass

        return Handler


async def _verify(ctx: Context) -> None:
    login = (await ctx.http.get("/me")).json()["login"]
    if ctx.auth.data.get("screenName") == "call me by my login":
        await ctx.auth.set(screenName=login)


async def _still(ctx: Context) -> bool:
    await _verify(ctx)
    return True


async def _new_tickets(ctx: Context) -> None:
    for ticket in (await ctx.http.get("/tickets")).json():
        ctx.push_trigger_item(ticket, str(ticket["id"]))


async def _create_ticket(ctx: Context) -> None:
    if ctx.parameters["title"] == "boom":
        raise ThirdPartyError(app="Desk", said="Title not allowed", status=422)
    answer = await ctx.http.post("/tickets", json={"title": ctx.parameters["title"]})
    ctx.set_action_item(answer.json())


async def _projects(ctx: Context) -> list[Option]:
    found = (await ctx.http.get("/projects")).json()
    asked = ctx.parameters.get("title") or ""
    return [Option(label=f"{item['name']}{asked}", value=item["id"]) for item in found]


async def _more_fields(ctx: Context) -> list[Any]:
    return [text("extra", f"Extra of {ctx.parameters['project']}")]


desk = App(
    name="Desk",
    key=DESK,
    supports_connections=True,
    base_url="https://desk.example",
    api_base_url="https://api.desk.example",
    auth=Auth(fields=api_key_fields(), verify_credentials=_verify, is_still_verified=_still),
    before_request=[header_key("X-Desk-Key")],
    triggers=[Trigger(key="newTicket", name="New ticket", run=_new_tickets)],
    actions=[
        Action(
            key="createTicket",
            name="Create ticket",
            run=_create_ticket,
            arguments=(
                text("title", "Title", required=True),
                dropdown("priority", "Priority", ["low", "high"], value="low"),
                dropdown("project", "Project", source="listProjects", more_fields="projectFields"),
            ),
        )
    ],
    dynamic_data=[DynamicData(key="listProjects", load=_projects)],
    dynamic_fields=[DynamicFields(key="projectFields", load=_more_fields)],
)

nameless = replace(
    desk,
    name="Nameless",
    key="nameless",
    auth=Auth(fields=(api_key_field(),), verify_credentials=_verify, is_still_verified=_still),
)
"""Desk by an author who forgot that a connection needs a name."""


async def _break(ctx: Context) -> None:
    raise KeyError(str(ctx.auth.data["apiKey"]))


async def _say_no(ctx: Context) -> bool:
    return False


faulty = replace(
    desk,
    name="Faulty",
    key="faulty",
    auth=Auth(fields=api_key_fields(), verify_credentials=_break, is_still_verified=_say_no),
)
"""Desk by an author whose code fails with the key in the message."""


async def _ask_in_browser(ctx: Context) -> None:
    state = str(uuid4())
    await ctx.auth.set(url=f"https://forge.example/authorize?state={state}", state=state)


async def _take_code(ctx: Context) -> None:
    callback = ctx.auth.data.get("callback")
    answer = callback if isinstance(callback, dict) else {}
    if answer.get("error"):
        raise ThirdPartyError(app="Forge", said=str(answer["error_description"]), meaning="It was refused.")
    await ctx.auth.set(apiKey=answer.get("code"))
    login = answer.get("login") or (await ctx.http.get("/me")).json()["login"]
    await ctx.auth.set(screenName=login, accountId=login)


forge = replace(
    desk,
    name="Forge",
    key="forge",
    auth=Auth(
        fields=oauth_fields(secret_required=False),
        generate_auth_url=_ask_in_browser,
        verify_credentials=_take_code,
        is_still_verified=_still,
    ),
)
"""Desk by way of the browser: the code that comes back is the key, `login` says whose it is."""


async def _pass_on(ctx: Context) -> None:
    if ctx.parameters.get("text") == "nothing":
        ctx.execution.exit("It did not match.")
    if ctx.parameters.get("text") == "crash":
        raise KeyError("sk-secret-in-a-foreign-message")
    if ctx.parameters.get("text") == "busy":
        raise RateLimited("Too many requests.", retry_after=60)
    ctx.set_action_item({"text": ctx.parameters.get("text")})


async def _hourly(ctx: Context) -> None:
    ctx.push_trigger_item({"at": ctx.now})


tools = App(
    name="Tools",
    key=TOOLS,
    triggers=[
        Trigger(
            key="catch",
            name="Catch",
            kind=TriggerKind.WEBHOOK,
            show_webhook_url=True,
            arguments=(dropdown("workSynchronously", "Answer at once", [(True, "Yes"), (False, "No")]),),
        ),
        Trigger(
            key="everyHour",
            name="Every hour",
            kind=TriggerKind.SCHEDULE,
            run=_hourly,
            cron=lambda _: "0 * * * *",
        ),
    ],
    actions=[Action(key="pass", name="Pass on", run=_pass_on, arguments=(text("text", "Text"),))],
)
