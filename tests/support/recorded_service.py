"""A service of the interface other than ours, on 127.0.0.1: its real bytes, empty errors and web pages."""

import asyncio
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from tests.support.recorded_state import RecordedState, Refused, Row, one
from tests.support.tiny_service import TinyServer, header

KEY = "5f" * 48
PER_PAGE = 10
LARGEST_BODY = 1024 * 1024
PAGE = b'<!doctype html><html lang="en"><head><title>Flows</title></head><body><div id="root"></div></body></html>'
TRACE = b"<!DOCTYPE html><html><body><pre>SyntaxError: Unexpected token &#39;g&#39;<br>    at JSON.parse</pre></body></html>"
Raw = tuple[int, dict[str, str], bytes]
JSON_TYPE = "application/json; charset=utf-8"


@dataclass(frozen=True)
class Habits:
    """In what services of the interface differ from one another."""

    base: str = "/api"
    people: str = "/v1"
    """What stands before users, folders and invitations; their own description leaves it out."""
    templates: bool = True
    licence: bool = True
    """Without one, all of the interface is 404."""
    stack_traces: bool = False
    """500 with a web page instead of nothing."""
    web_pages: bool = True
    """A web page for every unknown GET."""


class RecordedService(TinyServer):
    """Plays `RecordedState`. `asked` keeps "METHOD target" of every request, `bodies` what came with it.

    `instead` may answer in its place: it gets method and path, and gives status, headers and body, or None.
    """

    def __init__(self, habits: Habits | None = None) -> None:
        super().__init__()
        self.habits = habits or Habits()
        self.state = RecordedState()
        self.asked: list[str] = []
        self.bodies: list[bytes] = []
        self.refused: list[str] = []
        """What was answered with an error, with its status."""
        self.instead: Callable[[str, str], Raw | None] = lambda method, path: None

    @property
    def base_url(self) -> str:
        """With the base: the address a person would enter who reads the description."""
        return self.address + self.habits.base

    def times(self, asked: str) -> int:
        """How often this was asked for, whatever the query."""
        return sum(line.partition("?")[0] == asked for line in self.asked)

    async def answer(self, head: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        body = await reader.readexactly(int(header(head, "content-length") or 0))
        method, target, _ = head.split(" ", 2)
        self.asked.append(f"{method} {target}")
        self.bodies.append(body)
        path = urlsplit(target).path
        status, headers, content = self.instead(method, path) or self._answer(head, method, target, body)
        if status >= 400:
            self.refused.append(f"{status} {method} {target}")
        lines = [f"HTTP/1.1 {status} X", *(f"{name}: {value}" for name, value in headers.items())]
        if status != 204 and "content-length" not in headers:
            lines.append(f"content-length: {len(content)}")
        writer.write("\r\n".join([*lines, "", ""]).encode("latin-1") + content)
        await writer.drain()
        if "content-length" in headers:
            writer.close()  # a length that was given may be wrong

    def _answer(self, head: str, method: str, target: str, content: bytes) -> Raw:
        parts = urlsplit(target)
        if len(content) > LARGEST_BODY:
            return 413, {}, b""
        try:
            body = json.loads(content) if content else {}
        except ValueError:
            return 400, {}, b""
        if self.habits.base and not parts.path.startswith(self.habits.base + "/"):
            return self._web_page(method)
        if not self.habits.licence:
            return 404, {}, b""
        if header(head, "x-api-token") != KEY:
            return 401, {}, b""
        path = unquote(parts.path.removeprefix(self.habits.base))
        try:
            return self._of(method, path, dict(parse_qsl(parts.query, keep_blank_values=True)), body)
        except Refused as refused:
            return self._refused(refused)

    def _web_page(self, method: str) -> Raw:
        if method == "GET" and self.habits.web_pages:
            return 200, {"content-type": "text/html; charset=utf-8"}, PAGE
        return 404, {}, b""

    def _refused(self, refused: Refused) -> Raw:
        if refused.errors is not None:
            return _json(refused.status, {"errors": refused.errors, "meta": {"type": refused.kind}})
        if refused.status == 500 and self.habits.stack_traces:
            return 500, {"content-type": "text/html; charset=utf-8"}, TRACE
        return refused.status, {}, b""

    def _of(self, method: str, path: str, asked: dict[str, str], body: Any) -> Raw:
        people = "/(users|user-invitations)"
        before = re.escape(self.habits.people) if re.match(rf"(/v1)?{people}(/|$)", path) else "/v1"
        for wanted, pattern, does in self._routes():
            if wanted == method and (found := re.fullmatch(before + pattern, path)):
                if method in ("POST", "PATCH") and not isinstance(body, dict):
                    raise Refused(500)
                return does(asked, body, *found.groups())
        return self._web_page(method)

    def _routes(self) -> list[tuple[str, str, Callable[..., Raw]]]:
        state, part = self.state, "/([^/]+)"
        return [
            ("GET", "/apps", lambda asked, _: _plain("Object", self._apps(asked))),
            ("GET", f"/apps{part}", lambda asked, _, key: _single("App", self._app(key))),
            (
                "GET",
                "/executions",
                lambda asked, _: _paged("Execution", state.listed_executions(asked), asked, self._execution),
            ),
            (
                "GET",
                f"/executions{part}",
                lambda asked, _, key: _single("Execution", self._execution(one(state.executions, key))),
            ),
            ("GET", "/flows", lambda asked, _: _paged("Flow", state.listed_flows(asked), asked, _flow)),
            (
                "POST",
                "/flows",
                lambda asked, body: _single("Flow", _flow(state.new_flow(body), steps=False), 201),
            ),
            ("GET", f"/flows{part}", lambda asked, _, key: _single("Flow", _flow(one(state.flows, key)))),
            ("DELETE", f"/flows{part}", lambda asked, _, key: _after(state.delete_flow, key)),
            ("PATCH", f"/flows{part}/status", self._switch),
            ("GET", "/templates", lambda asked, _: _plain("Template", self._templates())),
            (
                "POST",
                "/templates",
                lambda asked, body: _single("Template", self._allowed(state.new_template)(body), 201),
            ),
            (
                "GET",
                f"/templates{part}",
                lambda asked, _, key: _single("Template", one(self._templates(), key)),
            ),
            (
                "DELETE",
                f"/templates{part}",
                lambda asked, _, key: _after(state.templates.remove, one(self._templates(), key)),
            ),
            ("GET", "/users", lambda asked, _: _paged("User", _by_name(state.users), asked, dict)),
            ("GET", f"/users{part}", lambda asked, _, key: _single("User", one(state.users, key))),
            ("DELETE", f"/users{part}", lambda asked, _, key: _after(state.delete_user, key)),
            ("GET", f"/users{part}/folders", lambda asked, _, user: _plain("Folder", [_folder(row) for row in state.folders_of(user)])),
            ("POST", f"/users{part}/folders", lambda asked, body, user: _single("Folder", _folder(state.new_folder(user, body)), 201)),
            ("PATCH", f"/users{part}/folders{part}", lambda asked, body, user, key: _single("Folder", _folder(state.rename_folder(user, key, body)))),
            ("DELETE", f"/users{part}/folders{part}", lambda asked, _, user, key: _after(state.delete_folder, user, key)),
            ("GET", "/user-invitations", lambda asked, _: _paged("User", _by_name(state.invited), asked, dict)),
            ("POST", "/user-invitations", lambda asked, body: _single("User", _without(state.invite(body), "role"), 201)),
            ("DELETE", f"/user-invitations{part}", lambda asked, _, key: _after(state.invited.remove, one(state.invited, key))),
        ]  # fmt: skip

    def _apps(self, asked: dict[str, str]) -> list[Row]:
        return [row for row in self.state.apps if (asked.get("name") or "").lower() in row["key"]]

    def _app(self, key: str) -> Row:
        found = [row for row in self.state.apps if row["key"] == key]
        if not found:
            raise Refused(404)
        return found[0]

    def _execution(self, row: Row) -> Row:
        return _without(row, "flowId") | {"flow": _flow(self.state.flow_of(row))}

    def _switch(self, asked: dict[str, str], body: Row, key: str) -> Raw:
        flow, changed = self.state.switch(key, body)
        return _single("Flow", _flow(flow, steps=changed))

    def _templates(self) -> list[Row]:
        if not self.habits.templates:
            raise Refused(403)
        return sorted(self.state.templates, key=lambda row: row["createdAt"])

    def _allowed(self, does: Callable[[Row], Row]) -> Callable[[Row], Row]:
        self._templates()
        return does


def _flow(row: Row, *, steps: bool = True) -> Row:
    shown = _without(row, "userId", "folderId", "steps")
    shown["status"] = "published" if row["active"] else "draft"
    return shown | {"steps": row["steps"]} if steps else shown


def _folder(row: Row) -> Row:
    return _without(row, "userId")


def _by_name(rows: Sequence[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: row["fullName"])


def _without(row: Row, *names: str) -> Row:
    return {key: value for key, value in row.items() if key not in names}


def _paged(kind: str, rows: list[Row], asked: dict[str, str], show: Callable[[Row], Row]) -> Raw:
    digits = re.match(r"\d{1,9}", asked.get("page", ""))
    page = max(1, int(digits[0])) if digits else 1
    part = [show(row) for row in rows[(page - 1) * PER_PAGE : page * PER_PAGE]]
    meta = {"count": len(rows), "isArray": True, "currentPage": page, "totalPages": -(-len(rows) // PER_PAGE)}
    return _json(200, {"data": part, "meta": {"type": kind if part else "Object", **meta}})


def _plain(kind: str, rows: list[Row]) -> Raw:
    meta = {"count": len(rows), "isArray": True, "currentPage": None, "totalPages": None}
    return _json(200, {"data": rows, "meta": {"type": kind if rows else "Object", **meta}})


def _single(kind: str, row: Row, status: int = 200) -> Raw:
    meta = {"type": kind, "count": 1, "isArray": False, "currentPage": None, "totalPages": None}
    return _json(status, {"data": row, "meta": meta})


def _after(action: Callable[..., None], *arguments: Any) -> Raw:
    """An empty response, after an action."""
    action(*arguments)
    return 204, {}, b""


def _json(status: int, body: Row) -> Raw:
    return status, {"content-type": JSON_TYPE}, json.dumps(body).encode()
