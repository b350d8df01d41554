"""What a key cannot do, said before anybody tries: a window disables it with the reason."""

from patchbay.domain.access import AccessGrant, Scope
from patchbay.domain.backend import Capabilities, Feature

_OPERATE_FEATURES = (
    Feature.CHANGES, Feature.CONNECTIONS, Feature.EDIT_FLOWS, Feature.RUN_FLOWS, Feature.RUN_CONTROL,
)  # fmt: skip
_ADMIN_FEATURES = (Feature.ENGINE, Feature.ACCESS, Feature.PEOPLE, Feature.ADDRESS)

_READ_ONLY_KEY = "The API key of this workspace may only look at things."
_NOT_AN_ADMIN_KEY = "The API key of this workspace is not that of an admin."


def key_capabilities(workspace: Capabilities, access: AccessGrant) -> Capabilities:
    """What the workspace cannot do, and beside it what the key may not."""
    missing: dict[Feature, str] = {}
    if not access.scope.allows(Scope.ADMIN):
        missing |= dict.fromkeys(_ADMIN_FEATURES, _NOT_AN_ADMIN_KEY)
    if not access.scope.allows(Scope.OPERATE):
        missing |= dict.fromkeys(_OPERATE_FEATURES, _READ_ONLY_KEY)
    return Capabilities(unavailable={**missing, **workspace.unavailable})
