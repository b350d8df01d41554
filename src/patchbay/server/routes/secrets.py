"""Where secrets are kept. Secrets themselves never pass here."""

from fastapi import APIRouter
from starlette.responses import Response

from patchbay.domain.base import Model
from patchbay.domain.secrets import SecretsHome, SecretsState
from patchbay.server.access import Home, admin_only
from patchbay.server.bodies import Body
from patchbay.server.docs import answers
from patchbay.server.envelope import One, one

router = APIRouter(prefix="/secrets", tags=["secrets"])


class MoveSecrets(Body):
    """Where secrets are to be kept."""

    to: SecretsHome


class SecretCount(Model):
    """How many secrets it was about."""

    count: int


@router.get("", responses=answers(One[SecretsState]))
async def secrets_state(home: Home) -> Response:
    """How secrets are kept now, and whether they can be used."""
    return one(await home.secrets_state())


@router.post("/move", responses=answers(One[SecretsState], checked=True, conflict=True))
@admin_only
async def move_secrets(home: Home, body: MoveSecrets) -> Response:
    """Bring all secrets to the other home."""
    return one(await home.move_secrets(body.to))


@router.post("/change-key", responses=answers(One[SecretCount]))
@admin_only
async def change_secrets_key(home: Home) -> Response:
    """Encrypt all secrets under a new key."""
    return one(SecretCount(count=await home.change_secrets_key()))


@router.post("/give-up-lost", responses=answers(One[SecretCount]))
@admin_only
async def give_up_lost_secrets(home: Home) -> Response:
    """Forget secrets whose key is lost."""
    return one(SecretCount(count=await home.give_up_lost_secrets()))
