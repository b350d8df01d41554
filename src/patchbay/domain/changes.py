"""What a write did, as everybody who looks at the workspace is told."""

from enum import StrEnum
from typing import Literal

from patchbay.domain.base import Model


class ResourceType(StrEnum):
    """What a change is about."""

    APP = "app"
    CONNECTION = "connection"
    FLOW = "flow"
    FOLDER = "folder"
    TEMPLATE = "template"
    EXECUTION = "execution"
    USER = "user"
    API_KEY = "api_key"
    WORKSPACE = "workspace"
    HISTORY = "history"
    """How far the copy of a remote history is, see `HistoryCopy`."""


class Change(Model):
    """What a write did. Broadcast once; every view decides whether it cares.

    `initiator` names the caller that caused it, so that it need not refresh what it already knows.
    """

    noun: ResourceType
    ids: tuple[str, ...] = ()
    action: Literal["created", "updated", "deleted"] = "updated"
    initiator: str | None = None
