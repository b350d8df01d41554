"""What bodies look like, by the name of their schema: shown on the page at /docs, tried by the tests."""

from typing import Any

_FLOW = "7b1c6c52-8d0f-4d0a-9f5a-0c7d1a7a2f11"
_FOLDER = "0d2f3c8e-5b7e-4a41-9d0e-6f1b2a3c4d5e"
_USER = "c1f0a5d2-3e4b-4c6d-8e9f-a0b1c2d3e4f5"
_EDITOR = "a0000000-0000-4000-8000-000000000002"
_STEP = "3f9e1d7c-2b4a-4e6f-8a1b-5c7d9e0f1a2b"

BODY_EXAMPLES: dict[str, Any] = {
    "CameBack": {"address": "http://127.0.0.1:8787/oauth/callback?state=dK3…&code=4/0A…"},
    "ConnectionName": {"screenName": "Support desk"},
    "ConnectionValues": {"formattedData": {"apiKey": "…"}},
    "DynamicData": {"dynamicDataKey": "listProjects", "parameters": {}},
    "DynamicFields": {"dynamicFieldsKey": "listColumns", "parameters": {"table": "orders"}},
    "EngineEdit": {
        "maxConcurrent": 10, "maxRunsPerRoot": 10000, "maxRetryAfter": 900,
        "retention": {"successDays": 30, "failureDays": 365, "most": 500000},
    },
    "FailedExecutions": {"flowId": _FLOW, "startDateTime": 1767225600000, "note": "429"},
    "FinishSignIn": {"acceptOtherAccount": False},
    "FlowEdit": {"name": "Orders to the ledger", "executionInterval": 5},
    "FlowFile": {
        "id": _FLOW, "name": "Orders to the ledger",
        "steps": [
            {"id": _STEP, "type": "trigger", "position": 1, "appKey": "webhook", "key": "catchRawWebhook"},
            {"id": _FOLDER, "type": "action", "position": 2, "appKey": "formatter", "key": "text",
             "parameters": {"input": f"{{{{step.{_STEP}.name}}}}"}},
        ],
    },
    "FlowIds": {"flowIds": [_FLOW]},
    "FlowMove": {"folderId": _FOLDER},
    "FlowRun": {"item": {"order": 1001}},
    "FlowSettingsEdit": {"maxConcurrent": 1, "pauseAfter": 20, "missed": "once", "timeZone": "Europe/Vienna"},
    "FlowSwitch": {"active": True},
    "MoveSecrets": {"to": "items"},
    "Named": {"name": "Orders"},
    "NewConnection": {"key": "todoist", "formattedData": {"screenName": "Ada", "apiToken": "…"}},
    "NewCredentials": {"formattedData": {"apiToken": "…"}, "acceptOtherAccount": False},
    "NewFlow": {"userId": _USER, "name": "Orders to the ledger", "folderId": _FOLDER},
    "NewInvitation": {"fullName": "Ada Lovelace", "email": "ada@example.org", "roleId": _EDITOR},
    "NewKey": {"name": "Reports", "scope": "read"},
    "NewRateLimit": {"rateLimit": {"calls": 60, "seconds": 60}},
    "NewStep": {"previousStepId": _STEP},
    "NewTemplate": {"name": "Orders to the ledger", "flowId": _FLOW},
    "NewUser": {"fullName": "Ada Lovelace", "email": "ada@example.org", "roleId": _EDITOR},
    "Replay": {"item": {"order": 1001}, "on": "newest"},
    "ServiceEdit": {"publicAddress": "https://flows.example.org"},
    "StepEdit": {"appKey": "formatter", "key": "text", "parameters": {"transform": "capitalize"}},
    "StepPosition": {"position": 3},
    "UserEdit": {"fullName": "Ada King"},
    "WhichAddress": {"address": "https://flows.example.org"},
}  # fmt: skip
