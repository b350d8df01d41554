"""Keys of the interface, and who did what."""

from uuid import uuid4

from tests.support.operation_recorder import OperationRecorder
from tests.support.stories import story

from patchbay.domain.access import ApiKey, Scope
from patchbay.domain.audit_log import AuditAction, AuditEntry, AuditFilter
from patchbay.domain.changes import ResourceType
from patchbay.domain.errors import NotFound, ValidationFailed
from patchbay.domain.paging import Page, PageRequest

EVERYTHING = AuditFilter()


async def _log(call: OperationRecorder, where: AuditFilter, page: PageRequest) -> Page[AuditEntry]:
    """One page of the log, written down without who acted: over HTTP that is a key."""
    found = await call.workspace.backend.audit_log(where, page)
    shown = [item.model_dump(exclude={"actor"}) for item in found.items]
    call.note("audit_log", {"total": found.total, "more": found.next_cursor is not None, "items": shown})
    return found


async def _keys(call: OperationRecorder) -> list[ApiKey]:
    """All keys but the one by which the story itself is outcome."""
    found = [key for key in await call.workspace.backend.list_api_keys() if key.name != "contract"]
    call.note("list_api_keys", [key.model_dump(exclude={"hint"}) for key in found])
    return found


@story("create_api_key", "list_api_keys", "revoke_api_key", "list_users")
async def a_key_is_made_listed_without_its_value_and_revoked(call: OperationRecorder) -> None:
    (owner,) = await call("list_users")
    made = await call.workspace.backend.create_api_key("Laptop", Scope.READ, owner.id)
    call.note("create_api_key", made.key.model_dump(exclude={"hint"}))
    assert len(made.value) == 96
    assert (made.key.name, made.key.scope, made.key.user_id) == ("Laptop", Scope.READ, owner.id)
    assert await _keys(call) == [made.key]

    assert isinstance(await call.refused("create_api_key", " "), ValidationFailed)
    assert isinstance(await call.refused("create_api_key", "Lost", Scope.ADMIN, str(uuid4())), NotFound)
    assert (await call("revoke_api_key", made.key.id)).ids == (made.key.id,)
    assert isinstance(await call.refused("revoke_api_key", made.key.id), NotFound)
    assert await _keys(call) == []


@story("audit_log", "create_folder", "rename_folder", "delete_folder")
async def every_change_is_in_the_audit_log_newest_first(call: OperationRecorder) -> None:
    folder = await call("create_folder", "Work")
    await call("rename_folder", folder.id, "Play")
    await call("delete_folder", folder.id)

    log = await _log(call, EVERYTHING, PageRequest())
    assert [(item.deed, item.noun, item.subject) for item in log.items] == [
        (AuditAction.DELETED, ResourceType.FOLDER, "Play"),
        (AuditAction.RENAMED, ResourceType.FOLDER, "Play"),
        (AuditAction.CREATED, ResourceType.FOLDER, "Work"),
    ]
    assert {item.subject_id for item in log.items} == {folder.id}


@story("audit_log", "create_folder", "create_flow")
async def the_audit_log_is_filtered_and_comes_in_pages(call: OperationRecorder) -> None:
    for name in ("One", "Two", "Three"):
        await call("create_folder", name)
    flow = await call("create_flow", "Other")

    folders = await _log(call, AuditFilter(noun=ResourceType.FOLDER), PageRequest(limit=2))
    assert ([item.subject for item in folders.items], folders.total) == (["Three", "Two"], 3)
    rest = await _log(
        call, AuditFilter(noun=ResourceType.FOLDER), PageRequest(limit=2, cursor=folders.next_cursor)
    )
    assert ([item.subject for item in rest.items], rest.next_cursor) == (["One"], None)
    named = await _log(call, AuditFilter(text="tW"), PageRequest())
    assert [item.subject for item in named.items] == ["Two"]
    of_flow = await _log(call, AuditFilter(subject_id=flow.id), PageRequest())
    assert [item.deed for item in of_flow.items] == [AuditAction.CREATED]
    moment = of_flow.items[0].at
    later = await _log(call, AuditFilter(after=moment), PageRequest())
    earlier = await _log(call, AuditFilter(before=moment - 1), PageRequest())
    assert (later.total, earlier.total) == (1, 3)
    assert (await _log(call, AuditFilter(actor_id=str(uuid4())), PageRequest())).total == 0
    for nonsense in ("soon", "²", "9" * 40):
        refused = await call.refused("audit_log", EVERYTHING, PageRequest(cursor=nonsense))
        assert isinstance(refused, ValidationFailed)
