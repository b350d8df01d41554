"""What a key cannot do, said before anybody tries: a window disables it with the reason."""

from patchbay.domain.access import Access, Scope
from patchbay.domain.backend import Capabilities, Feature

_WORK = (
    Feature.CHANGES, Feature.CONNECTIONS, Feature.EDIT_FLOWS, Feature.RUN_FLOWS, Feature.RUN_CONTROL,
)  # fmt: skip
_ADMINISTRATION = (Feature.ENGINE, Feature.ACCESS, Feature.PEOPLE, Feature.ADDRESS)

_MAY_ONLY_LOOK = "The API key of this workspace may only look at things."
_FOR_ADMINS = "The API key of this workspace is not that of an admin."


def abilities(workspace: Capabilities, access: Access) -> Capabilities:
    """What the workspace cannot do, and beside it what the key may not."""
    missing: dict[Feature, str] = {}
    if not access.scope.allows(Scope.ADMIN):
        missing |= dict.fromkeys(_ADMINISTRATION, _FOR_ADMINS)
    if not access.scope.allows(Scope.OPERATE):
        missing |= dict.fromkeys(_WORK, _MAY_ONLY_LOOK)
    return Capabilities(unavailable={**missing, **workspace.unavailable})
