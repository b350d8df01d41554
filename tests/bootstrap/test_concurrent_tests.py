"""A user runs many step tests at the same time."""

import asyncio
from asyncio import StreamWriter

import httpx
from tests.support.attacked_service import attacked
from tests.support.forms import long_form
from tests.support.third_party import Reply, Seen, third_party

from patchbay.domain.hosting import ServiceSettings
from patchbay.domain.outgoing import OutgoingMode
from patchbay.engine.manual.draft_tests import MAX_CONCURRENT_TESTS_PER_PERSON


@long_form
async def test_tests_of_one_key_run_a_few_at_a_time(tmp_path):
    here = 0
    most = 0
    arrived = asyncio.Queue[None]()
    let_go = asyncio.Event()

    async def slowly(writer: StreamWriter) -> None:
        nonlocal here, most
        here += 1
        most = max(most, here)
        arrived.put_nowait(None)
        await let_go.wait()
        here -= 1
        writer.write(Reply(body={"ok": True}).encode())

    def answer(seen: Seen) -> Reply:
        return Reply(raw=slowly)

    async with attacked(tmp_path) as scene, third_party(answer) as server:
        allowed = (server.url.removeprefix("http://"),)
        settings = ServiceSettings(outgoing_addresses=OutgoingMode.MEMBERS, allowed_addresses=allowed)
        await scene.runtime.backend.change_service_settings(settings)
        flow_id = await scene.published(scene.attacker, f"{server.url}/slow")
        step = (await scene.runtime.backend.get_flow(flow_id)).steps[1].id
        limits = httpx.Timeout(60)
        tests = [
            asyncio.create_task(scene.attacker.post(f"/v1/steps/{step}/test", timeout=limits))
            for _ in range(12)
        ]
        async with asyncio.timeout(30):
            for _ in range(MAX_CONCURRENT_TESTS_PER_PERSON):
                await arrived.get()
        assert (await scene.attacker.get("/v1/flows", timeout=limits)).status_code == 200
        await asyncio.wait(tests, timeout=0.5)  # gives a further test the time to arrive, if one could
        assert most == MAX_CONCURRENT_TESTS_PER_PERSON
        let_go.set()
        assert {(await test).status_code for test in tests} == {200}
        assert most == MAX_CONCURRENT_TESTS_PER_PERSON
