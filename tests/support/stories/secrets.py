"""Where secrets are kept."""

from tests.support.stories import story
from tests.support.teller import Teller

from patchbay.domain.connections import SecretsStorage


@story("secrets_state", "move_secrets", "add_connection", "test_connection")
async def secrets_move_between_their_homes_and_go_on_working(tell: Teller) -> None:
    made = await tell("add_connection", "desk", {"screenName": "Ada", "apiKey": tell.home.desk.good_key})
    before = await tell("secrets_state")
    assert (before.home, before.stored, before.problem) == (SecretsStorage.SEALED, 1, None)

    assert (await tell("move_secrets", SecretsStorage.ITEMS)).home is SecretsStorage.ITEMS
    assert (await tell("test_connection", made.id)).verified
    assert (await tell("move_secrets", SecretsStorage.SEALED)).home is SecretsStorage.SEALED
    assert (await tell("test_connection", made.id)).verified


@story("discard_lost_secrets")
async def nothing_is_given_up_while_secrets_can_be_opened(tell: Teller) -> None:
    assert await tell("discard_lost_secrets") == 0


@story("change_secrets_key", "add_connection", "test_connection", "secrets_state")
async def secrets_work_on_under_a_new_key(tell: Teller) -> None:
    made = await tell("add_connection", "desk", {"screenName": "Ada", "apiKey": tell.home.desk.good_key})

    assert await tell("change_secrets_key") == 1

    assert (await tell("test_connection", made.id)).verified
    assert (await tell("secrets_state")).problem is None
