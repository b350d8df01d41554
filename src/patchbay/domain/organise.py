"""Folders, templates and people."""

from patchbay.domain.base import EpochMs, FolderId, JsonObject, Model, TemplateId, UserId


class Folder(Model):
    """A folder of one user. `stats` is filled where the workspace can tell."""

    id: FolderId
    name: str
    user_id: UserId | None = None
    created_at: EpochMs = 0
    updated_at: EpochMs = 0


class FolderStats(Model):
    """What a folder holds and how its flows did in the last seven days. `folder_id` None: uncategorised."""

    folder_id: FolderId | None
    flows: int = 0
    published: int = 0
    runs: int = 0
    failures: int = 0
    last_run_at: EpochMs | None = None


class Template(Model):
    """A flow to start from; `flow_data` is an exported flow (`FlowExport` on the wire)."""

    id: TemplateId
    name: str
    description: str = ""
    category: str = ""
    flow_data: JsonObject = {}
    created_at: EpochMs = 0
    updated_at: EpochMs = 0


class User(Model):
    """A person of the service. Local workspaces have one, the owner."""

    id: UserId
    full_name: str
    email: str
    status: str = "active"
    created_at: EpochMs = 0
    updated_at: EpochMs = 0
