"""An app whose code blocks: the service answers, other runs go on, and the app is named."""

import time
from pathlib import Path

import pytest
from tests.support import flow_files as files
from tests.support.counterparty import Counterparty
from tests.support.forms import long_form
from tests.support.processes import Interface, Service, until

pytestmark = pytest.mark.timeout(180)

APP = '''"""Sleepy."""
from patchbay.integration import App

from .actions.nap import nap

app = App(name="Sleepy", key="sleepy", primary_color="#112233", actions=[nap])
'''
NAP = """import time

from patchbay.integration import Action, Context, text


async def run(ctx: Context) -> None:
    answer = await ctx.http.get(ctx.parameters["url"])
    time.sleep(float(ctx.parameters["seconds"]))
    ctx.set_action_item({"answered": answer.status})


nap = Action(
    key="nap", name="Nap", run=run, supports_connections=False,
    arguments=(text("url", "Address"), text("seconds", "Seconds")),
)
"""


def install(folder: Path) -> Path:
    app = folder / "apps" / "sleepy"
    (app / "actions").mkdir(parents=True)
    (app / "__init__.py").write_text(APP, encoding="utf-8")
    (app / "actions" / "__init__.py").write_text("", encoding="utf-8")
    (app / "actions" / "nap.py").write_text(NAP, encoding="utf-8")
    return app


@long_form
def test_an_app_that_sleeps_holds_up_neither_the_service_nor_other_runs(tmp_path: Path) -> None:
    data = tmp_path / "data"
    app = install(data)
    with Counterparty() as party:
        naps = [
            files.flow(
                name, files.catch(), files.step("sleepy", "nap", url=f"{party.address}/x", seconds=seconds)
            )
            for name, seconds in (("Sleeps", "20"), ("Naps", "2"))
        ]
        quick = files.flow("Quick", files.catch(), files.trimmed(" a "))
        file = files.write(tmp_path / "flows.json", [*naps, quick])
        service = Service(data).start()
        try:
            made = service.command("flow", "import", file, "--publish", "--json").json
            sleeps, dozes, runs = (f"/webhooks/flows/{flow['id']}" for flow in made)
            interface = Interface(service)
            until(lambda: interface.http.post(sleeps, json={}).status_code == 204)
            until(lambda: "/x" in party.paths())
            began = time.monotonic()

            assert interface.http.post(runs, json={}).status_code == 204
            assert interface.finished("Quick")[0]["state"] == "success"
            assert interface.http.get("/healthcheck").status_code == 200
            held_up = time.monotonic() - began
            assert interface.http.post(dozes, json={}).status_code == 204
            [napped] = interface.finished("Naps")
            [asleep] = interface.executions("Sleeps")
            cancelled = service.command("execution", "cancel", asleep["id"])
            step = interface.steps(napped["id"])[-1]
            check = service.command("app", "check", app)
            interface.close()
        finally:
            service.process.stop(quiet=False)

    assert held_up < 15  # the app sleeps for 20 s
    assert asleep["state"] == "running"
    assert cancelled.code == 0, cancelled.err
    assert (napped["state"], step["dataOut"]) == ("success", {"answered": 200})
    assert any(
        "Sleepy · Nap blocked its thread for 2 s (nap.py, line 8)" in words for words in step["warnings"]
    )
    assert "nap.py:8: time.sleep blocks" in check.out + check.err
