"""The server's settings: public address, invitation mail, and outgoing addresses."""

from typing import Annotated

from starlette.responses import Response

from patchbay.domain.base import ConnectionId
from patchbay.domain.hosting import AddressTest, ServiceSettings
from patchbay.domain.outgoing import MAX_ALLOWED_ENTRIES, OutgoingMode
from patchbay.server.authentication import RequestBackend, admin_only
from patchbay.server.request_models import Body, max_items
from patchbay.server.responses import One, describe_responses, one
from patchbay.server.routing import ResourceRouter

router = ResourceRouter(prefix="/service", tags=["workspace"])


class ServiceEdit(Body):
    """Changes to the server's settings; omitted fields stay as they are, null removes them."""

    public_address: str | None = None
    mail_connection_id: ConnectionId | None = None
    outgoing_addresses: OutgoingMode = OutgoingMode.AUTOMATIC
    allowed_addresses: Annotated[tuple[str, ...], *max_items(MAX_ALLOWED_ENTRIES)] = ()


class WhichAddress(Body):
    """The address to test; null means the current one."""

    address: str | None = None


@router.get("", responses=describe_responses(One[ServiceSettings]))
@admin_only
async def service_settings(backend: RequestBackend) -> Response:
    """Get the public address, the mail connection for invitations, and the addresses flows may call."""
    return one(await backend.service_settings())


@router.patch("", responses=describe_responses(One[ServiceSettings], invalid=True))
@admin_only
async def change_service_settings(backend: RequestBackend, body: ServiceEdit) -> Response:
    """Change the server's settings, effective immediately for webhooks, redirects, and invitations."""
    before = await backend.service_settings()
    return one(
        await backend.change_service_settings(before.model_copy(update=body.model_dump(exclude_unset=True)))
    )


@router.post("/test-address", responses=describe_responses(One[AddressTest], invalid=True, conflict=True))
@admin_only
async def try_public_address(backend: RequestBackend, body: WhichAddress | None = None) -> Response:
    """Test whether requests to the public address reach this server."""
    return one(await backend.test_public_address(body.address if body else None))
