"""Folders of flows, and templates to start flows from."""

from patchbay.domain.base import EpochMs, FolderId, JsonObject, Model, TemplateId, UserId

NO_FOLDER = FolderId("null")
"""The filter value for “in no folder”, as in Automatisch's API."""


class Folder(Model):
    """A folder that groups flows of one person."""

    id: FolderId
    name: str
    user_id: UserId | None = None
    created_at: EpochMs = 0
    updated_at: EpochMs = 0


class FolderStats(Model):
    """Counts of a folder's flows, and of their runs in the last 7 days.

    `folder_id` None: uncategorised flows.
    """

    folder_id: FolderId | None
    flows: int = 0
    published: int = 0
    runs: int = 0
    failures: int = 0
    last_run_at: EpochMs | None = None


class TemplateInput(Model):
    """A value that a template asks for. Parameters refer to it as `{{input.<key>}}`."""

    key: str
    label: str
    description: str = ""
    value: str = ""
    """The default, which can be changed; empty if there is none."""


class Template(Model):
    """A flow that new flows can be created from. `flow_data` is the wire form of a `FlowExport`.

    Built-in templates are part of Patchbay and can't be deleted.
    """

    id: TemplateId
    name: str
    description: str = ""
    category: str = ""
    needs: str = ""
    """What it needs besides connections, as a sentence; empty if nothing."""
    inputs: tuple[TemplateInput, ...] = ()
    built_in: bool = False
    flow_data: JsonObject = {}
    created_at: EpochMs = 0
    updated_at: EpochMs = 0
