"""The secrets of a step's connection are in nothing that the engine keeps of its calls."""

from tests.support.engine_runtime import FLOW_1, EngineRuntime
from tests.support.toy_apps import flow

from patchbay.domain.base import ConnectionId
from patchbay.domain.errors import AppError, ThirdPartyError
from patchbay.domain.flows import FlowVersion
from patchbay.domain.ports import WebhookRequest
from patchbay.integration.masking import MASK

KEY = "open-sesame-0123456789"


def connected(runtime: EngineRuntime, version: FlowVersion, place: int) -> FlowVersion:
    """The flow with the connection at the step in this place."""
    runtime.vault.data[ConnectionId("c1")] = {"apiKey": KEY}
    steps = list(version.steps)
    steps[place] = steps[place].model_copy(update={"connection_id": "c1"})
    return version.model_copy(update={"steps": tuple(steps)})


async def test_a_trigger_without_code_keeps_no_secret_that_its_sender_tells(runtime: EngineRuntime):
    await runtime.publish(connected(runtime, flow("hook", "echo"), 0))
    told = WebhookRequest(
        method="POST",
        headers={"x-word": f"it is {KEY}", "webhook-id": f"1-{KEY}"},
        query={"key": KEY},
        body={"token": KEY, "deep": [KEY]},
    )

    await runtime.engine.deliver(FLOW_1, told, synchronous=False)
    again = await runtime.engine.deliver(FLOW_1, told, synchronous=False)

    [seen] = await runtime.all()
    assert seen.steps[0].data_out == {
        "headers": {"x-word": f"it is {MASK}", "webhook-id": f"1-{MASK}"},
        "query": {"key": MASK},
        "body": {"token": MASK, "deep": [MASK]},
    }
    assert again.headers["x-patchbay-delivery"] == "duplicate"


async def test_an_apps_error_message_reveals_no_secret(runtime: EngineRuntime):
    runtime.toy.refusal = ThirdPartyError(
        app="Toy", said=f"Who is {KEY}?", status=401, details={"key": KEY}, request=f"GET /{KEY}"
    )
    await runtime.publish(connected(runtime, flow("hook", "refuse"), 1))
    await runtime.publish(flow("flowFailed", "echo", flow_id="f2", parameters={"flow": "any"}))

    await runtime.post()
    await runtime.until_all(2)

    seen = await runtime.all()
    assert [one.state.value for one in seen].count("failure") == 1
    assert KEY not in str(seen)
    assert str(seen).count(f"Who is {MASK}?") >= 3
    assert runtime.vault.invalid == {"c1": f"Toy returned “Who is {MASK}?” (401)."}


async def test_a_poll_that_fails_tells_no_secret(runtime: EngineRuntime, caplog):
    await runtime.publish(connected(runtime, flow("poll", "echo"), 0))
    await runtime.settle()
    runtime.toy.refusal = AppError(f"It did not like {KEY}.")

    await runtime.pass_time(15 * 60_000)
    seen = await runtime.one()

    assert seen.note == f"It did not like {MASK}."
    assert KEY not in f"{seen} {caplog.text}"
