"""Keys of the interface, and who did what."""

from uuid import uuid4

from tests.support.stories import story
from tests.support.teller import Teller

from patchbay.domain.access import ApiKey, Scope
from patchbay.domain.audit_log import AuditAction, AuditEntry, AuditFilter
from patchbay.domain.changes import ResourceType
from patchbay.domain.errors import NotFound, ValidationFailed
from patchbay.domain.paging import Page, PageRequest

EVERYTHING = AuditFilter()


async def _log(tell: Teller, where: AuditFilter, page: PageRequest) -> Page[AuditEntry]:
    """One page of the log, written down without who acted: over HTTP that is a key."""
    found = await tell.home.backend.audit_log(where, page)
    shown = [item.model_dump(exclude={"actor"}) for item in found.items]
    tell.note("audit_log", {"total": found.total, "more": found.next_cursor is not None, "items": shown})
    return found


async def _keys(tell: Teller) -> list[ApiKey]:
    """All keys but the one by which the story itself is told."""
    found = [key for key in await tell.home.backend.list_api_keys() if key.name != "contract"]
    tell.note("list_api_keys", [key.model_dump(exclude={"hint"}) for key in found])
    return found


@story("create_api_key", "list_api_keys", "revoke_api_key", "list_users")
async def a_key_is_made_listed_without_its_value_and_revoked(tell: Teller) -> None:
    (owner,) = await tell("list_users")
    made = await tell.home.backend.create_api_key("Laptop", Scope.READ, owner.id)
    tell.note("create_api_key", made.key.model_dump(exclude={"hint"}))
    assert len(made.value) == 96
    assert (made.key.name, made.key.scope, made.key.user_id) == ("Laptop", Scope.READ, owner.id)
    assert await _keys(tell) == [made.key]

    assert isinstance(await tell.refused("create_api_key", " "), ValidationFailed)
    assert isinstance(await tell.refused("create_api_key", "Lost", Scope.ADMIN, str(uuid4())), NotFound)
    assert (await tell("revoke_api_key", made.key.id)).ids == (made.key.id,)
    assert isinstance(await tell.refused("revoke_api_key", made.key.id), NotFound)
    assert await _keys(tell) == []


@story("audit_log", "create_folder", "rename_folder", "delete_folder")
async def every_change_is_in_the_audit_log_newest_first(tell: Teller) -> None:
    folder = await tell("create_folder", "Work")
    await tell("rename_folder", folder.id, "Play")
    await tell("delete_folder", folder.id)

    log = await _log(tell, EVERYTHING, PageRequest())
    assert [(item.deed, item.noun, item.subject) for item in log.items] == [
        (AuditAction.DELETED, ResourceType.FOLDER, "Play"),
        (AuditAction.RENAMED, ResourceType.FOLDER, "Play"),
        (AuditAction.CREATED, ResourceType.FOLDER, "Work"),
    ]
    assert {item.subject_id for item in log.items} == {folder.id}


@story("audit_log", "create_folder", "create_flow")
async def the_audit_log_is_filtered_and_comes_in_pages(tell: Teller) -> None:
    for name in ("One", "Two", "Three"):
        await tell("create_folder", name)
    flow = await tell("create_flow", "Other")

    folders = await _log(tell, AuditFilter(noun=ResourceType.FOLDER), PageRequest(limit=2))
    assert ([item.subject for item in folders.items], folders.total) == (["Three", "Two"], 3)
    rest = await _log(
        tell, AuditFilter(noun=ResourceType.FOLDER), PageRequest(limit=2, cursor=folders.next_cursor)
    )
    assert ([item.subject for item in rest.items], rest.next_cursor) == (["One"], None)
    named = await _log(tell, AuditFilter(text="tW"), PageRequest())
    assert [item.subject for item in named.items] == ["Two"]
    of_flow = await _log(tell, AuditFilter(subject_id=flow.id), PageRequest())
    assert [item.deed for item in of_flow.items] == [AuditAction.CREATED]
    moment = of_flow.items[0].at
    later = await _log(tell, AuditFilter(after=moment), PageRequest())
    earlier = await _log(tell, AuditFilter(before=moment - 1), PageRequest())
    assert (later.total, earlier.total) == (1, 3)
    assert (await _log(tell, AuditFilter(actor_id=str(uuid4())), PageRequest())).total == 0
    for nonsense in ("soon", "²", "9" * 40):
        refused = await tell.refused("audit_log", EVERYTHING, PageRequest(cursor=nonsense))
        assert isinstance(refused, ValidationFailed)
