"""People, their roles, and how they come in."""

import asyncio
from pathlib import Path

import pytest
from tests.support.workspace import CATCH, PASS

from patchbay.domain.access import Scope
from patchbay.domain.audit_log import Actor, ActorKind, AuditAction, AuditFilter, current_actor
from patchbay.domain.base import FlowId
from patchbay.domain.changes import ResourceType
from patchbay.domain.errors import AlreadyTaken, Conflict, NotFound, ValidationFailed
from patchbay.domain.executions import ExecutionFilter
from patchbay.domain.paging import PageRequest
from patchbay.domain.people import ADMIN, EDITOR, VIEWER
from patchbay.service.invitations import LIFETIME_MS
from patchbay.storage.repositories import invitations


@pytest.fixture
async def owner(backend):
    return (await backend.list_users())[0]


@pytest.fixture
async def dana(backend):
    return await backend.create_user("Dana Mori", "Dana@Example.org")


def token_of(invited):
    return invited.accept_invitation_url.partition("?token=")[2]


async def told(backend):
    page = await backend.audit_log(AuditFilter(), PageRequest())
    return [(entry.deed, entry.noun, entry.subject) for entry in page.items]


async def test_a_person_made_without_a_role_is_an_editor_and_their_address_is_in_lower_case(backend, owner):
    dana = await backend.create_user(" Dana Mori ", " Dana@Example.ORG ")

    assert (dana.full_name, dana.email, dana.role, dana.status) == (
        "Dana Mori",
        "dana@example.org",
        EDITOR,
        "active",
    )
    assert await backend.list_users() == (dana, owner)
    assert await told(backend) == [(AuditAction.CREATED, ResourceType.USER, "Dana Mori")]


@pytest.mark.parametrize(
    "email",
    [
        "",
        "dana",
        "dana@",
        "@example.org",
        "d a@example.org",
        "dana@exa mple.org",
        "a@b..c",
        "<d@e.org>",
        "dana@example.org\nBcc: x@example.org",
        "x" * 65 + "@example.org",
        "d@" + "e" * 254,
    ],
)
async def test_what_is_no_address_is_refused(backend, email):
    for attempt in (
        backend.create_user("Dana", email),
        backend.invite("Dana", email, EDITOR.id),
    ):
        with pytest.raises(ValidationFailed) as refused:
            await attempt
        assert list(refused.value.by_field) == ["email"]


@pytest.mark.parametrize("name", ["", "  ", "x" * 256])
async def test_names_of_people_have_1_to_255_characters(backend, dana, name):
    for attempt in (
        backend.create_user(name, "eve@example.org"),
        backend.invite(name, "eve@example.org", EDITOR.id),
        backend.update_user(dana.id, full_name=name),
    ):
        with pytest.raises(ValidationFailed) as refused:
            await attempt
        assert list(refused.value.by_field) == ["fullName"]


async def test_an_address_belongs_to_one_person(backend, dana):
    invited = await backend.invite("Eve", "eve@example.org", EDITOR.id)

    for attempt in (
        backend.create_user("Other", "DANA@example.org"),
        backend.invite("Other", "dana@EXAMPLE.org", VIEWER.id),
        backend.create_user("Other", invited.email),
    ):
        with pytest.raises(AlreadyTaken) as refused:
            await attempt
        assert list(refused.value.by_field) == ["email"]


async def test_a_role_that_is_not_there_is_refused(backend, dana):
    for attempt in (
        backend.create_user("Eve", "eve@example.org", "editor"),
        backend.invite("Eve", "eve@example.org", "nothing"),
        backend.update_user(dana.id, role_id="nothing"),
    ):
        with pytest.raises(ValidationFailed) as refused:
            await attempt
        assert list(refused.value.by_field) == ["roleId"]


async def test_name_and_role_can_be_changed_and_no_change_is_none(backend, dana):
    changed = await backend.update_user(dana.id, full_name="Dana Moor", role_id=VIEWER.id)
    same = await backend.update_user(dana.id)

    assert (changed.full_name, changed.role) == ("Dana Moor", VIEWER)
    assert same == changed
    assert (await told(backend))[0] == (AuditAction.UPDATED, ResourceType.USER, "Dana Moor")
    with pytest.raises(NotFound):
        await backend.update_user("nobody", full_name="X")


async def test_there_is_always_an_admin(backend, owner, dana):
    with pytest.raises(Conflict, match="only admin"):
        await backend.update_user(owner.id, role_id=EDITOR.id)

    await backend.update_user(dana.id, role_id=ADMIN.id)
    assert (await backend.update_user(owner.id, role_id=EDITOR.id)).role == EDITOR
    with pytest.raises(Conflict, match="Dana Mori is the only admin"):
        await backend.delete_user(dana.id)


async def test_the_owner_of_the_workspace_stays(backend, owner, dana):
    await backend.update_user(dana.id, role_id=ADMIN.id)

    with pytest.raises(Conflict, match="owns this workspace"):
        await backend.delete_user(owner.id)


async def test_who_is_removed_is_locked_out_and_what_they_made_can_be_read(runtime, dana):
    backend = runtime.backend
    await runtime.engine.start()
    made = await backend.create_api_key("hers", Scope.OPERATE, dana.id)
    current_actor.set(Actor(kind=ActorKind.KEY, name="hers", user_id=dana.id))
    live = await backend.publish_flow((await runtime.skipped(await runtime.flow(CATCH, PASS))).id)
    draft = await backend.create_flow("Draft")
    await backend.run_flow(live.id, {"start": True})
    current_actor.set(None)

    gone = await backend.delete_user(dana.id)

    assert (gone.noun, gone.ids, gone.action) == (ResourceType.USER, (dana.id,), "deleted")
    assert await backend.api_keys.check(made.value) is None
    assert await backend.list_api_keys() == ()
    assert dana not in await backend.list_users()
    assert [(await backend.get_flow(flow.id)).active for flow in (live, draft)] == [False, False]
    assert (await backend.list_executions(ExecutionFilter(), PageRequest())).total == 1
    with pytest.raises(NotFound):
        await backend.delete_user(dana.id)
    with pytest.raises(NotFound):
        await backend.create_folder("New", dana.id)


async def test_the_address_of_a_removed_user_is_free(backend, dana):
    await backend.delete_user(dana.id)

    again = await backend.create_user("Dana Mori", dana.email)

    assert again.id != dana.id


async def test_an_invitation_waits_under_the_id_of_the_person_to_be(backend, owner):
    invited = await backend.invite("Eve Adams", "Eve@Example.org", VIEWER.id)

    [waiting] = await backend.list_invitations()
    assert (waiting.id, waiting.email, waiting.role) == (invited.id, "eve@example.org", VIEWER)
    assert waiting.status == "invited"
    assert waiting.accept_invitation_url is None
    assert waiting.expires_at == waiting.created_at + LIFETIME_MS
    assert invited.accept_invitation_url.startswith("http://127.0.0.1:8787/accept-invitation?token=")
    assert len(token_of(invited)) == 64
    assert (invited.mailed, "no mail connection" in invited.notice) == (False, True)
    assert await backend.list_users() == (owner,)
    assert await told(backend) == [(AuditAction.INVITED, ResourceType.USER, "Eve Adams")]


async def test_the_token_of_a_link_is_stored_nowhere(runtime):
    invited = await runtime.backend.invite("Eve", "eve@example.org", VIEWER.id)
    await runtime.backend.join(token_of(invited))
    await runtime.close()

    stored = b"".join(path.read_bytes() for path in Path(runtime.db.name).parent.iterdir())
    assert b"eve@example.org" in stored
    assert token_of(invited).encode() not in stored


async def test_who_follows_the_link_is_in_with_a_key_of_their_role(runtime):
    backend = runtime.backend
    invited = await backend.invite("Eve", "eve@example.org", VIEWER.id)

    seen = await backend.invitation(token_of(invited))
    made = await backend.join(token_of(invited))

    assert (seen.id, seen.full_name) == (invited.id, "Eve")
    access = await backend.api_keys.check(made.value)
    assert (access.scope, access.person, access.key.user_id) == (Scope.READ, invited.id, invited.id)
    assert invited.id in {person.id for person in await backend.list_users()}
    assert await backend.list_invitations() == ()
    entry = (await backend.audit_log(AuditFilter(), PageRequest())).items[0]
    assert (entry.deed, entry.subject, entry.actor.kind) == (AuditAction.JOINED, "Eve", ActorKind.INVITATION)
    assert (entry.actor.name, entry.actor.user_id) == ("Eve", invited.id)


async def test_a_link_counts_once(backend):
    token = token_of(await backend.invite("Eve", "eve@example.org", VIEWER.id))
    await backend.join(token)

    for attempt in (backend.join(token), backend.invitation(token)):
        with pytest.raises(NotFound):
            await attempt


@pytest.mark.parametrize("token", ["", "x", "0" * 64, "\ud800", "ü" * 1000])
async def test_a_made_up_token_leads_nowhere(backend, token):
    await backend.invite("Eve", "eve@example.org", VIEWER.id)

    for attempt in (backend.join(token), backend.invitation(token)):
        with pytest.raises(NotFound):
            await attempt


async def test_after_72_hours_a_link_has_run_out_and_the_invitation_stays_listed_until_it_is_withdrawn(
    runtime,
):
    backend = runtime.backend
    invited = await backend.invite("Eve", "eve@example.org", VIEWER.id)
    runtime.clock.now = invited.expires_at

    with pytest.raises(NotFound, match="expired"):
        await backend.join(token_of(invited))

    assert [item.id for item in await backend.list_invitations()] == [invited.id]
    await backend.revoke_invitation(invited.id)
    assert await backend.list_invitations() == ()


async def test_inviting_again_gives_a_new_link_and_ends_the_old_one(backend):
    first = await backend.invite("Eve", "eve@example.org", VIEWER.id)

    second = await backend.invite("Eve Adams", "EVE@example.org", EDITOR.id)

    assert second.id == first.id
    [waiting] = await backend.list_invitations()
    assert (waiting.full_name, waiting.role) == ("Eve Adams", EDITOR)
    with pytest.raises(NotFound):
        await backend.join(token_of(first))
    assert (await backend.join(token_of(second))).key.scope is Scope.OPERATE


async def test_a_withdrawn_invitation_ends_and_its_address_is_free(backend):
    invited = await backend.invite("Eve", "eve@example.org", VIEWER.id)

    await backend.revoke_invitation(invited.id)

    with pytest.raises(NotFound):
        await backend.join(token_of(invited))
    with pytest.raises(NotFound):
        await backend.revoke_invitation(invited.id)
    assert (await backend.create_user("Eve", "eve@example.org")).email == "eve@example.org"


async def test_only_invitations_can_be_withdrawn_and_only_people_be_removed(backend, dana):
    invited = await backend.invite("Eve", "eve@example.org", VIEWER.id)

    for attempt in (
        backend.revoke_invitation(dana.id),
        backend.delete_user(invited.id),
        backend.update_user(invited.id, full_name="X"),
        backend.create_api_key("for Eve", Scope.READ, invited.id),
    ):
        with pytest.raises(NotFound):
            await attempt


async def test_users_are_not_invited_without_an_address(runtime):
    runtime.address[0] = None

    with pytest.raises(Conflict, match="need an address"):
        await runtime.backend.invite("Eve", "eve@example.org", VIEWER.id)

    assert await runtime.db.read(invitations.find) == ()


async def test_a_link_to_this_computer_says_so_and_others_do_not(runtime):
    here = await runtime.backend.invite("Eve", "eve@example.org", VIEWER.id)
    runtime.address[0] = "https://flows.example.org/"

    there = await runtime.backend.invite("Eve", "eve@example.org", VIEWER.id)

    assert "only works on this computer" in here.notice
    assert "only works on this computer" not in there.notice
    assert there.accept_invitation_url.startswith("https://flows.example.org/accept-invitation?token=")


async def test_only_one_of_two_users_can_accept_the_same_invitation(backend):
    token = token_of(await backend.invite("Eve", "eve@example.org", VIEWER.id))

    found = await asyncio.gather(*(backend.join(token) for _ in range(5)), return_exceptions=True)

    assert sorted(type(one).__name__ for one in found) == ["NewApiKey", *["NotFound"] * 4]
    assert len(await backend.list_api_keys()) == 1


async def test_one_address_invited_many_times_at_once_is_one_invitation_with_one_link(backend):
    found = await asyncio.gather(
        *(backend.invite(f"Eve {number}", "eve@example.org", VIEWER.id) for number in range(5))
    )

    [waiting] = await backend.list_invitations()
    assert {one.id for one in found} == {waiting.id}
    holding = [one for one in found if await _holds(backend, token_of(one))]
    assert [one.full_name for one in holding] == [waiting.full_name]


async def _holds(backend, token):
    try:
        await backend.invitation(token)
    except NotFound:
        return False
    return True


async def test_a_user_who_keeps_publishing_is_removed(runtime, dana, monkeypatch):
    backend = runtime.backend
    made = await backend.create_api_key("hers", Scope.OPERATE, dana.id)
    current_actor.set(Actor(kind=ActorKind.KEY, name="hers", user_id=dana.id))
    live = await backend.publish_flow((await runtime.skipped(await runtime.flow(CATCH, PASS))).id)
    current_actor.set(None)
    publishing = backend._people._publishing
    unpublish_flow = publishing.unpublish_flow
    keys: list[object] = []

    async def unpublish_and_publish_once(flow_id: FlowId) -> None:
        await unpublish_flow(flow_id)
        keys.append(await backend.api_keys.check(made.value))
        if len(keys) == 1:  # a request that began before
            await publishing.publish_flow(flow_id)

    monkeypatch.setattr(publishing, "unpublish_flow", unpublish_and_publish_once)

    await backend.delete_user(dana.id)

    assert keys == [None, None]
    assert dana not in await backend.list_users()
    assert not (await backend.get_flow(live.id)).active
