"""Flows in the portable form, as people import them."""

import json
import re
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

Document = dict[str, Any]
_POSITION = re.compile(r"step\.#([1-9]\d*)\.")


def an_id(name: str) -> str:
    """The same id for the same name."""
    return str(uuid5(NAMESPACE_URL, name))


def flow(name: str, *steps: Document) -> Document:
    """A flow of these steps; the first is its trigger. `step.#1.` … in parameters refer to the steps."""
    ids = [an_id(f"{name}/{position}") for position in range(1, len(steps) + 1)]
    placed = []
    for position, step in enumerate(steps, 1):
        text = json.dumps(step.get("parameters", {}))
        text = _POSITION.sub(lambda found: f"step.{ids[int(found[1]) - 1]}.", text)
        kind = "trigger" if position == 1 else "action"
        placed.append(
            {
                **step,
                "id": ids[position - 1],
                "type": kind,
                "position": position,
                "parameters": json.loads(text),
            }
        )
    return {"id": an_id(name), "name": name, "steps": placed}


def step(app: str, key: str, /, **parameters: Any) -> Document:
    return {"appKey": app, "key": key, "parameters": parameters}


def catch(*, wait: bool = False) -> Document:
    return step("webhook", "catchRawWebhook", workSynchronously=wait)


def trimmed(value: str) -> Document:
    return step("formatter", "text", transform="trimWhitespace", input=value)


def only_if(value: str, operator: str, other: str) -> Document:
    condition = {"key": value, "operator": operator, "value": other}
    return step("filter", "continueIfMatches", **{"or": [{"and": [condition]}]})


def request(method: str, url: str, data: str = "", headers: dict[str, str] | None = None) -> Document:
    rows = [{"key": name, "value": value} for name, value in (headers or {}).items()]
    return step("http-request", "customRequest", method=method, url=url, data=data, headers=rows)


def respond(status: int, body: str) -> Document:
    return step("webhook", "respondWith", statusCode=str(status), headers=[], body=body)


def every_night() -> Document:
    return step("scheduler", "everyDay", triggersOnWeekend=True, hour=3)


def orders(url: str, name: str = "Orders") -> Document:
    """Webhook → formatter → filter → http-request: the order of a paying customer is passed on."""
    return flow(
        name,
        catch(),
        trimmed("{{step.#1.body.customer}}"),
        only_if("{{step.#1.body.total}}", "greater_than", "10"),
        request("POST", url, '{"customer": "{{step.#2.output}}"}', {"Content-Type": "application/json"}),
    )


def nightly(url: str, name: str = "Nightly") -> Document:
    """Scheduler → http-request."""
    return flow(name, every_night(), request("GET", url))


def write(path: Path, document: Document | list[Document]) -> Path:
    path.write_text(json.dumps(document), encoding="utf-8")
    return path
