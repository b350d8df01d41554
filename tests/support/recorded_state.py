"""What a service of the interface other than ours keeps, and what its operations make of it.

The rows in `recorded/`, and the behaviour here, were written by hand after the wire format of such a server.
"""

import copy
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

Row = dict[str, Any]
ROWS = Path(__file__).parent / "recorded"
HOST = "https://automation.example.org"
LONGEST = 255


class Refused(Exception):
    """An answer that is none: a status, and for 422 what is wrong by field."""

    def __init__(
        self, status: int, errors: dict[str, list[str]] | None = None, kind: str = "ModelValidation"
    ):
        super().__init__(status)
        self.status = status
        self.errors = errors
        self.kind = kind


def rows(name: str) -> list[Row]:
    """The recorded rows of one resource."""
    found: list[Row] = json.loads((ROWS / f"{name}.json").read_text("utf-8"))
    return found


def uuid(value: object) -> str:
    """The id in its lower-case form: the database takes upper case, braces and no dashes too."""
    try:
        return str(UUID(str(value)))
    except ValueError:
        raise Refused(400) from None


class RecordedState:
    """All resources; every operation raises `Refused` or gives rows as they are kept."""

    def __init__(self) -> None:
        self.apps = rows("apps")
        self.flows = rows("flows")
        self.gone = rows("deleted_flows")
        self.users = rows("users")
        self.invited = rows("invitations")
        self.folders = rows("folders")
        self.executions, self.templates = rows("executions"), rows("templates")
        self.taken = {row["email"] for row in (*self.users, *self.invited)}
        self.now = 1_732_000_000_000

    def empty(self) -> None:
        """Only the first person is left."""
        self.flows = []
        self.gone = []
        self.invited = []
        self.folders = []
        self.executions = []
        self.templates = []
        self.users = self.users[:1]

    def tick(self) -> int:
        self.now += 1000
        return self.now

    # Flows

    def listed_flows(self, asked: dict[str, str]) -> list[Row]:
        found = [row for row in self.flows if like(row["name"], asked.get("name"))]
        if asked.get("status") in ("published", "draft"):
            found = [row for row in found if row["active"] is (asked["status"] == "published")]
        if asked.get("userId"):
            found = [row for row in found if row["userId"] == uuid(asked["userId"])]
        if folder := asked.get("folderId"):
            wanted = None if folder == "null" else uuid(folder)
            found = [row for row in found if row["folderId"] == wanted]
        return sorted(found, key=lambda row: (not row["active"], -row["updatedAt"]))

    def new_flow(self, body: Row) -> Row:
        if "userId" not in body:
            raise Refused(500)
        if body["userId"] is None:
            raise Refused(404)
        user = one(self.users, body["userId"])
        template = one(self.templates, body["templateId"]) if body.get("templateId") else None
        made = template["flowData"] if template else {"name": "Name your flow", "steps": [{}, {}]}
        now = self.tick()
        flow = {
            "id": str(uuid4()),
            "name": made["name"],
            "userId": user["id"],
            "folderId": None,
            "active": False,
            "executionInterval": 15,
            "createdAt": now,
            "updatedAt": now + 1,
            "steps": [_new_step(step, at) for at, step in enumerate(made["steps"], 1)],
        }
        self.flows.append(flow)
        return flow

    def switch(self, key: str, body: Row) -> tuple[Row, bool]:
        """The flow, and whether anything changed."""
        flow, active = one(self.flows, key), body.get("active")
        if not isinstance(active, bool):
            raise Refused(422, {"active": ["must be boolean"]})
        if active is flow["active"]:
            return flow, False
        if active and any(step["status"] != "completed" for step in flow["steps"]):
            raise Refused(422, {"flow": ["Complete all steps before publishing."]}, "incompleteStepsError")
        flow["active"], flow["updatedAt"] = active, self.tick()
        return flow, True

    def delete_flow(self, key: str) -> None:
        flow = one(self.flows, key)
        self.flows.remove(flow)
        self.gone.append(flow)

    # Executions

    def listed_executions(self, asked: dict[str, str]) -> list[Row]:
        found = [row for row in self.executions if like(self.flow_of(row)["name"], asked.get("name"))]
        if asked.get("status") in ("success", "failure"):
            found = [row for row in found if row["status"] == asked["status"]]
        if (after := _number(asked.get("startDateTime"))) is not None:
            found = [row for row in found if row["createdAt"] >= after]
        if (before := _number(asked.get("endDateTime"))) is not None:
            found = [row for row in found if row["createdAt"] <= before]
        return sorted(found, key=lambda row: -row["createdAt"])

    def flow_of(self, execution: Row) -> Row:
        """Also when it was deleted since."""
        return one([*self.flows, *self.gone], execution["flowId"])

    # Templates

    def new_template(self, body: Row) -> Row:
        if "flowId" not in body:
            raise Refused(500)
        flow = one(self.flows, body["flowId"])
        now = self.tick()
        steps = [{**copy.deepcopy(step), "id": str(uuid4())} for step in flow["steps"]]
        data = {"id": str(uuid4()), "name": flow["name"], "steps": steps}
        made = {"id": str(uuid4()), "name": named(body), "flowData": data, "createdAt": now, "updatedAt": now}
        self.templates.append(made)
        return made

    # People

    def delete_user(self, key: str) -> None:
        user = one(self.users, key)
        self.users.remove(user)
        mine = [flow for flow in self.flows if flow["userId"] == user["id"] and flow["active"]]
        for flow in mine:
            self.delete_flow(flow["id"])

    def invite(self, body: Row) -> Row:
        role = next((row["role"] for row in self.users if row["role"]["id"] == body.get("roleId")), None)
        email = body.get("email", "")
        if role is None or not isinstance(email, str):
            raise Refused(500)
        name, email = named(body, "fullName"), email.lower()
        if not re.fullmatch(r"[^@\s]+@[^@\s]+\.[a-z]+", email):
            raise Refused(422, {"email": ['must match format "email"']})
        if email in self.taken:
            raise Refused(422, {"email": ["must be unique"]}, "UniqueViolationError")
        self.taken.add(email)
        now = self.tick()
        made = {
            "id": str(uuid4()),
            "email": email,
            "fullName": name,
            "status": "invited",
            "role": role,
            "acceptInvitationUrl": f"{HOST}/accept-invitation?token={uuid4().hex}",
            "createdAt": now,
            "updatedAt": now,
        }
        self.invited.append(made)
        return made

    # Folders

    def folders_of(self, user: str) -> list[Row]:
        owner = one(self.users, user)["id"]
        return sorted((row for row in self.folders if row["userId"] == owner), key=lambda row: row["name"])

    def new_folder(self, user: str, body: Row) -> Row:
        now = self.tick()
        made = {
            "id": str(uuid4()),
            "name": named(body),
            "userId": one(self.users, user)["id"],
            "createdAt": now,
            "updatedAt": now,
        }
        self.folders.append(made)
        return made

    def rename_folder(self, user: str, key: str, body: Row) -> Row:
        folder = one(self.folders_of(user), key)
        folder["name"], folder["updatedAt"] = named(body), self.tick()
        return folder

    def delete_folder(self, user: str, key: str) -> None:
        folder = one(self.folders_of(user), key)
        self.folders.remove(folder)
        for flow in self.flows:
            if flow["folderId"] == folder["id"]:
                flow["folderId"] = None


def one(among: Iterable[Row], key: object) -> Row:
    """The row with this id."""
    wanted = uuid(key)
    found = next((row for row in among if row["id"] == wanted), None)
    if found is None:
        raise Refused(404)
    return found


def like(name: str, wanted: str | None) -> bool:
    """Part of the name in any case; `%` and `_` stand for anything, as in the database."""
    pattern = re.escape(wanted or "").replace("%", ".*").replace("_", ".")
    return re.search(pattern, name, re.IGNORECASE) is not None


def named(body: Row, field: str = "name") -> str:
    """A name of 1 to 255 characters; more is an error of the database."""
    name = body.get(field)
    if not isinstance(name, str) or not name:
        raise Refused(422, {field: ["must NOT have fewer than 1 characters"]})
    if len(name) > LONGEST:
        raise Refused(400)
    return name


def _number(value: str | None) -> int | None:
    """Anything that is no number is ignored."""
    return int(value) if value and value.isdigit() else None


def _new_step(step: Row, position: int) -> Row:
    return {
        "id": str(uuid4()),
        "type": "trigger" if position == 1 else "action",
        "key": step.get("key"),
        "name": None,
        "appKey": step.get("appKey"),
        "iconUrl": step.get("iconUrl"),
        "webhookUrl": None,
        "status": "incomplete",
        "position": position,
        "parameters": step.get("parameters", {}),
    }
