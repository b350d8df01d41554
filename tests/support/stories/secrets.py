"""Where credentials are stored."""

from tests.support.operation_recorder import OperationRecorder
from tests.support.stories import story

from patchbay.domain.connections import SecretsStorage


@story("secrets_state", "move_secrets", "add_connection", "test_connection")
async def secrets_move_between_their_homes_and_go_on_working(call: OperationRecorder) -> None:
    made = await call("add_connection", "desk", {"screenName": "Ada", "apiKey": call.workspace.desk.good_key})
    before = await call("secrets_state")
    assert (before.home, before.stored, before.problem) == (SecretsStorage.SEALED, 1, None)

    assert (await call("move_secrets", SecretsStorage.ITEMS)).home is SecretsStorage.ITEMS
    assert (await call("test_connection", made.id)).verified
    assert (await call("move_secrets", SecretsStorage.SEALED)).home is SecretsStorage.SEALED
    assert (await call("test_connection", made.id)).verified


@story("discard_lost_secrets")
async def nothing_is_given_up_while_secrets_can_be_opened(call: OperationRecorder) -> None:
    assert await call("discard_lost_secrets") == 0


@story("change_secrets_key", "add_connection", "test_connection", "secrets_state")
async def secrets_work_on_under_a_new_key(call: OperationRecorder) -> None:
    made = await call("add_connection", "desk", {"screenName": "Ada", "apiKey": call.workspace.desk.good_key})

    assert await call("change_secrets_key") == 1

    assert (await call("test_connection", made.id)).verified
    assert (await call("secrets_state")).problem is None
