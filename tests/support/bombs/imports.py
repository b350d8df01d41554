"""Documents for “import a flow” made to stop their reader. `IMPORTS` by name, as JSON text."""

import json
from typing import Any

from tests.support.bombs.json_texts import JSON_TEXTS


def step(number: int, kind: str = "action", **fields: Any) -> dict[str, Any]:
    return {
        "id": f"s{number}",
        "type": kind,
        "position": number,
        "appKey": "x",
        "key": "y",
        "parameters": {},
        **fields,
    }


def flow(*steps: dict[str, Any], **fields: Any) -> str:
    return json.dumps({"id": "f", "name": "Bomb", "steps": [step(1, "trigger"), *steps], **fields})


def nested(levels: int) -> Any:
    value: Any = "core"
    for _ in range(levels):
        value = {"a": value}
    return value


def chain(length: int) -> list[dict[str, Any]]:
    """Steps of which each is inside the one before."""
    return [
        step(number, parentStepId=f"s{number - 1}" if number > 2 else None, structuralType="paths")
        for number in range(2, length + 2)
    ]


IMPORTS: dict[str, str] = {
    **{name: text.decode("utf-8", "surrogateescape") for name, text in JSON_TEXTS.items()},
    "no steps": json.dumps({"id": "f", "name": "Bomb", "steps": []}),
    "steps that are a number": json.dumps({"id": "f", "name": "Bomb", "steps": 5}),
    "no object": "[1, 2, 3]",
    "name of 1 MB": flow(name="x" * 1_000_000),
    "name of nothing": flow(name="\u200b\n\t"),
    "name that is a list": flow(name=[]),
    "5,000 steps": flow(*[step(number) for number in range(2, 5002)]),
    "2,000 nested steps": flow(*chain(2000)),
    "steps in a circle": flow(step(2, parentStepId="s3"), step(3, parentStepId="s2")),
    "step in itself": flow(step(2, parentStepId="s2")),
    "trigger in an action": flow(step(2)).replace('"position": 1,', '"position": 1, "parentStepId": "s2",'),
    "parent that is not there": flow(step(2, parentStepId="nowhere")),
    "one id twice": flow(step(2), step(2)),
    "two triggers": flow(step(2, "trigger")),
    "position of 400 digits": flow(step(10**400)),
    "negative positions": flow(step(-1), step(-2)),
    "same positions": flow(*[step(2, id=f"s{number}") for number in range(2, 500)]),
    "position that is text": flow(step(2, position="2")),
    "position that is infinite": flow(step(2)).replace('"position": 2', '"position": 1e400'),
    "unknown type": flow(step(2, "bomb")),
    "unknown structure": flow(step(2, structuralType="bomb")),
    "parameters of 240 levels": flow(step(2, parameters=nested(240))),
    "parameters of 900 levels": flow(step(2, parameters=nested(900))),
    "parameters that are a list": flow(step(2, parameters=[])),
    "100,000 references": flow(step(2, parameters={"a": "{{step.s1.a}}" * 100_000})),
    "open references": flow(step(2, parameters={"a": "{{step." * 100_000})),
    "9,000 conditions": flow(step(2, branchConditions=[{"a": nested(5)}] * 9000)),
    "conditions that are none": flow(step(2, branchConditions=[nested(240)])),
    "id of 1 MB": flow(step(2, id="x" * 1_000_000, parentStepId="x" * 1_000_000)),
    "half a surrogate pair": flow(step(2, name="\ud800", parameters={"\udfff": "\ud800"})),
    "NUL": flow(step(2, name="\0", appKey="\0", key="\0")),
    "app that is a path": flow(step(2, appKey="../../etc")),
    "policy of nonsense": flow(step(2, policy={"retries": 10**400, "timeout": -1})),
}
