"""Change notifications: what a write changed, sent to every client of the workspace."""

from enum import StrEnum
from typing import Literal

from patchbay.domain.base import Model


class ResourceType(StrEnum):
    """The kinds of resources that can change."""

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
    """The progress of the copy of a remote history, see `HistoryCopy`."""


class Change(Model):
    """The resources that one write changed.

    `initiator` identifies the caller that made the change, which doesn't have to refresh what it already has.
    """

    noun: ResourceType
    ids: tuple[str, ...] = ()
    action: Literal["created", "updated", "deleted"] = "updated"
    initiator: str | None = None
