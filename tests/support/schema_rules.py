"""What the checks of the description have to know of the service beyond its description."""

LEFT_OUT = {
    "events": "its answer never ends; tests/server/test_listener.py reads it",
}
"""Operations that are not asked, by id, with the reason."""

_BY_METHOD = ("", "ByGet", "ByPut", "ByPatch")

ANSWERED_BY_FLOWS = {
    f"startFlowAndWait{method}": "who waits for a flow that fails is told so with 502, and sends again"
    for method in _BY_METHOD
}
"""Operations whose answer is that of a flow, by id: a flow may fail without a fault of the service."""

EVERYBODYS = {
    "getTemplate": "templates are everybody's",
    "bulkRetry": "its id is told to nobody but who began it, and opens it to whom they tell",
}
"""Operations that show the same to everybody, by id, with the reason."""

BOUND_TO_STATE = {
    # What these take depends on other things than the values themselves, so that no schema can tell: they may
    # answer 422 to what the description allows. What they take beyond it is refused all the same.
    "listExecutions": "a cursor is good only as it was handed out",
    "listFlows": "a cursor is good only as it was handed out",
    "searchExecutions": "a cursor is good only as it was handed out",
    "auditLog": "a cursor is good only as it was handed out",
    "histogram": "the end lies after the start",
    "createUser": "an email address is there once",
    "createUserWithoutVersion": "an email address is there once",
    "invite": "an email address is there once",
    "inviteWithoutVersion": "an email address is there once",
    "updateUser": "a role has to be there",
    "updateUserWithoutVersion": "a role has to be there",
    "addConnection": "the third party is asked, and fields depend on the app",
    "beginSignIn": "not every app is connected in the browser, and fields depend on the app",
    "signInAgain": "not every app is connected in the browser",
    "reconnect": "the third party is asked",
    "duplicateConnection": "credentials that renew themselves are not shared",
    "pasteCallback": "the address has to be one that the sign-in waits for",
    "changeEngineSettings": "limits are for apps that are there",
    "changeFlowSettings": "time zones are those of the IANA",
    "changeServiceSettings": "an address of the web, and a connection of an app that sends mail",
    "tryPublicAddress": "an address of the web",
    "importFlow": "steps have to make a tree that begins with a trigger",
    "switchFlow": "a flow is published when all its steps are ready",
    "runFlow": "a flow runs when all its steps are ready",
    "createTemplate": "a flow has to be there",
    "updateStep": "app, event, connection and parameters have to fit each other",
    "moveStep": "positions depend on the flow",
    "addStep": "positions depend on the flow",
    "deleteStep": "a flow keeps its trigger",
    "restoreStep": "a step that was deleted comes back",
    "testStep": "a step is tested when it has all it needs",
    "skipStepTest": "a step is complete when it has all it needs",
    "previewSchedule": "fields have to make a schedule",
    "dynamicData": "loaders are those of the app",
    "dynamicFields": "loaders are those of the app",
    "replayExecution": "the newest steps have to be able to run",
    "moveSecrets": "homes are those of the machine",
    **{f"startFlow{method}": "a signature may be wanted" for method in _BY_METHOD},
}
"""Operations whose rules depend on the state, by id, with the rule."""
