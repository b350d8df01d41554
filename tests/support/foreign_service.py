"""Another service of the interface, with the habits that wire facts record: ten per page, empty error bodies,
a web page for unknown addresses, two states of an execution."""

import json
from typing import Any

import httpx

KEY = "f" * 96
USERS = [
    {
        "id": "11111111-1111-4111-8111-111111111111",
        "fullName": "Ada",
        "email": "ada@example.org",
        "createdAt": 2,
    },
    {
        "id": "22222222-2222-4222-8222-222222222222",
        "fullName": "Bob",
        "email": "bob@example.org",
        "createdAt": 1,
    },
]
PAGE = b"<!doctype html><html><body>Welcome</body></html>"


def flow(number: int) -> dict[str, Any]:
    step = {
        "id": f"s{number}",
        "type": "trigger",
        "key": "poll",
        "appKey": "rss",
        "position": 1,
        "parameters": {},
    }
    return {
        "id": f"00000000-0000-4000-8000-{number:012}", "name": f"Flow {number}", "active": False,
        "status": "draft", "executionInterval": 15, "steps": [step], "createdAt": number, "updatedAt": number,
    }  # fmt: skip


def execution(number: int) -> dict[str, Any]:
    status = ("success", "failure", None)[number % 3]
    return {
        "id": f"99999999-0000-4000-8000-{number:012}", "testRun": False, "status": status,
        "flow": flow(1), "createdAt": 1000 + number, "updatedAt": 2000 + number,
    }  # fmt: skip


class ForeignService:
    """Answers requests as a transport of httpx; `requests` keeps what was asked."""

    def __init__(self, flows: int = 23, executions: int = 12) -> None:
        self.flows = [flow(number) for number in range(flows)]
        self.executions = [execution(number) for number in range(executions)]
        self.folders = {
            user["id"]: [{"id": f"f-{user['fullName']}", "name": f"{user['fullName']}'s"}] for user in USERS
        }
        self.requests: list[httpx.Request] = []
        self.transport = httpx.MockTransport(self._answer)

    def sent(self) -> list[str]:
        return [f"{request.method} {request.url.path}" for request in self.requests]

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        if request.headers.get("x-api-token") != KEY:
            return httpx.Response(401)
        parts = request.url.path.strip("/").split("/")
        if parts[:2] != ["api", "v1"]:
            return httpx.Response(404)
        return self._of(request, parts[2:])

    def _of(self, request: httpx.Request, parts: list[str]) -> httpx.Response:
        page = int(request.url.params.get("page", 1))
        match request.method, parts:
            case "GET", ["flows"]:
                return paged("Flow", self.flows, page)
            case "GET", ["executions"]:
                return paged("Execution", self.executions, page)
            case "GET", ["users"]:
                return paged("User", USERS, page)
            case "GET", ["executions", wanted]:
                found = [item for item in self.executions if item["id"] == wanted]
                return single("Execution", found[0]) if found else httpx.Response(404)
            case "POST", ["flows"]:
                return single("Flow", flow(99) | {"name": json.loads(request.content)["userId"]}, 201)
            case "DELETE", ["flows", _]:
                return httpx.Response(204)
            case _, ["users", user, "folders", *folder]:
                return self._folders(user, folder)
            case "PATCH", ["flows", _, "status"]:
                body = {
                    "errors": {"flow": ["All steps must be complete."]},
                    "meta": {"type": "incompleteStepsError"},
                }
                return httpx.Response(422, json=body)
            case "GET", _:
                return httpx.Response(200, content=PAGE, headers={"content-type": "text/html"})
        return httpx.Response(404)

    def _folders(self, user: str, folder: list[str]) -> httpx.Response:
        if not folder:
            return plain("Folder", self.folders[user])
        known = any(item["id"] == folder[0] for item in self.folders[user])
        return httpx.Response(204 if known else 404)


def paged(kind: str, rows: list[Any], page: int) -> httpx.Response:
    part = rows[(page - 1) * 10 : page * 10]
    meta = {
        "type": kind if part else "Object", "count": len(rows), "isArray": True, "currentPage": page,
        "totalPages": -(-len(rows) // 10),
    }  # fmt: skip
    return httpx.Response(200, json={"data": part, "meta": meta})


def plain(kind: str, rows: list[Any]) -> httpx.Response:
    meta = {"type": kind, "count": len(rows), "isArray": True, "currentPage": None, "totalPages": None}
    return httpx.Response(200, json={"data": rows, "meta": meta})


def single(kind: str, row: dict[str, Any], status: int = 200) -> httpx.Response:
    meta = {"type": kind, "count": 1, "isArray": False, "currentPage": None, "totalPages": None}
    return httpx.Response(status, json={"data": row, "meta": meta})
