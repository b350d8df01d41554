"""Apps whose files change while flows that use them are published."""

import asyncio

from tests.support.app_folders import BUY, DEFINITION, write_app
from tests.support.patience import PATIENCE
from tests.support.workspace import CATCH

from patchbay.domain.base import AppKey
from patchbay.domain.flows import StepChange

NO_CONNECTIONS = DEFINITION.replace("    supports_connections=True,\n", "").replace("    auth=auth,\n", "")
NO_CONNECTIONS = NO_CONNECTIONS.replace("    before_request=[bearer()],\n", "")
BUY_HERE = BUY.replace("required=True", "required=False")


async def outputs(runtime, flow):
    execution_id = await runtime.backend.run_flow(flow.id, {"n": 1})
    async with asyncio.timeout(PATIENCE):
        while True:
            run = await runtime.backend.get_execution(execution_id)
            if run.state.finished:
                break
            await asyncio.sleep(0.01)
    return [step.data_out for step in await runtime.backend.execution_steps(execution_id)][1:]


async def test_published_flows_use_the_new_code_of_an_app(runtime, tmp_path):
    folder = write_app(
        tmp_path / "apps" / "shop", {"__init__.py": NO_CONNECTIONS, "actions/buy.py": BUY_HERE}
    )
    runtime.apps.watch(folder.parent, runtime.apps.all())
    flow = await runtime.skipped(await runtime.flow(CATCH, StepChange(app_key=AppKey("shop"), key="buy")))
    await runtime.backend.publish_flow(flow.id)
    await runtime.engine.start()
    before = await outputs(runtime, flow)

    write_app(
        folder, {"__init__.py": NO_CONNECTIONS, "actions/buy.py": BUY_HERE.replace("item(1)", "item(222)")}
    )
    await runtime.backend.list_apps()

    assert (before, await outputs(runtime, flow)) == ([1], [222])
