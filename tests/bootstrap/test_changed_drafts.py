"""An editor changes a draft after an admin has read it and before the admin publishes it."""

from tests.support.attacked_service import attacked


async def test_a_draft_that_was_changed_since_it_was_read_is_not_published(tmp_path):
    async with attacked(tmp_path) as scene:
        flow_id = await scene.published(scene.attacker, "http://example.org/agreed")
        path = f"/v1/flows/{flow_id}"
        read = (await scene.admin.get(path)).json()["data"]
        step = f"/v1/steps/{read['steps'][1]['id']}"
        swapped = {"parameters": {"method": "GET", "url": "http://example.org/swapped"}}
        assert (await scene.attacker.patch(step, json=swapped)).status_code == 200
        assert (await scene.attacker.post(f"{step}/skip-test")).status_code == 200

        body = {"active": True, "updatedAt": read["updatedAt"]}
        refused = await scene.admin.patch(f"{path}/status", json=body)
        assert refused.status_code == 409
        assert "changed since you opened it" in refused.text
        again = (await scene.admin.get(path)).json()["data"]
        assert (again["publishedVersion"], again["hasUnpublishedEdits"]) == (1, True)

        body = {"active": True, "updatedAt": again["updatedAt"]}
        assert (await scene.admin.patch(f"{path}/status", json=body)).status_code == 200
