"""The database schema. Times are milliseconds since the epoch as 64-bit integers; JSON is stored as text.

Secrets are stored only in `secret`, `webhook_secret`, and `sign_in`, encrypted. No other column may contain
one.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)

metadata = MetaData()


def _id() -> Column[str]:
    return Column("id", String(36), primary_key=True)


def _times() -> tuple[Column[int], Column[int]]:
    return Column("created_at", BigInteger, nullable=False), Column("updated_at", BigInteger, nullable=False)


user = Table(
    "user",
    metadata,
    _id(),
    Column("full_name", String(255), nullable=False),
    Column("email", String(255), nullable=False, unique=True),
    Column("status", String(16), nullable=False, server_default="active"),
    *_times(),
    Column("deleted_at", BigInteger),
    Column("role", String(16), nullable=False, server_default="admin"),
)

invitation = Table(
    "invitation",
    metadata,
    Column("user_id", ForeignKey("user.id"), primary_key=True),
    Column("token_hash", String(64), nullable=False, unique=True),
    Column("expires_at", BigInteger, nullable=False),
    Column("mailed", Boolean, nullable=False, server_default=text("0")),
)
"""Open invitations. The link contains the token; only its hash is stored."""

folder = Table(
    "folder",
    metadata,
    _id(),
    Column("user_id", ForeignKey("user.id"), nullable=False),
    Column("name", String(255), nullable=False),
    *_times(),
)

flow = Table(
    "flow",
    metadata,
    _id(),
    Column("user_id", ForeignKey("user.id"), nullable=False),
    Column("folder_id", ForeignKey("folder.id", ondelete="SET NULL")),
    Column("name", String(255), nullable=False),
    Column("active", Boolean, nullable=False, server_default=text("0")),
    Column("execution_interval", Integer, nullable=False, server_default="15"),
    Column("published_version", Integer),
    Column("has_unpublished_edits", Boolean, nullable=False, server_default=text("0")),
    Column("settings", Text, nullable=False, server_default="{}"),
    Column("paused_at", BigInteger),
    Column("paused_reason", Text),
    Column("streak_from", BigInteger),
    Column("sources", Text, nullable=False, server_default="[]"),
    Column("imported_from", String(64)),
    *_times(),
    Column("deleted_at", BigInteger),
    Index("flow_list", "deleted_at", "active", "updated_at"),
    Index("flow_folder", "folder_id"),
)
"""`sources`: what its trigger was published with, see `TriggerSource`; a list that only grows."""

step = Table(
    "step",
    metadata,
    _id(),
    Column("flow_id", ForeignKey("flow.id"), nullable=False),
    Column("type", String(16), nullable=False),
    Column("structural_type", String(16), nullable=False, server_default="single"),
    Column("parent_step_id", String(36)),
    Column("key", String(255)),
    Column("name", String(255)),
    Column("app_key", String(255)),
    Column("connection_id", String(36)),
    Column("status", String(16), nullable=False, server_default="incomplete"),
    Column("tested", String(16)),
    Column("position", Integer, nullable=False),
    Column("parameters", Text, nullable=False, server_default="{}"),
    Column("continue_on_error", Boolean, nullable=False, server_default=text("0")),
    Column("policy", Text, nullable=False, server_default="{}"),
    Column("branch_conditions", Text),
    Column("connection_required", Boolean, nullable=False, server_default=text("0")),
    *_times(),
    Column("deleted_at", BigInteger),
    Index("step_flow", "flow_id", "position"),
    Index("step_connection", "connection_id"),
)

flow_version = Table(
    "flow_version",
    metadata,
    Column("flow_id", ForeignKey("flow.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("name", String(255), nullable=False),
    Column("steps", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("approved", Boolean, nullable=False, server_default=text("0")),
)
"""`approved`: published by a user with full rights, so its programs may run."""

execution = Table(
    "execution",
    metadata,
    _id(),
    Column("flow_id", String(36), nullable=False),
    Column("flow_version", Integer),
    Column("status", String(16), nullable=False),
    Column("internal_id", String(255)),
    Column("priority", Integer, nullable=False, server_default="0"),
    Column("cursor", Integer, nullable=False, server_default="0"),
    Column("steps_done", Integer, nullable=False, server_default="0"),
    Column("steps_total", Integer, nullable=False, server_default="0"),
    Column("wake_at", BigInteger),
    Column("run_token", String(36)),
    Column("attempts", Integer, nullable=False, server_default="0"),
    Column("test_run", Boolean, nullable=False, server_default=text("0")),
    Column("note", Text),
    *_times(),
    Column("started_at", BigInteger),
    Column("finished_at", BigInteger),
    Column("waits_for", String(8)),
    Column("origin_id", String(36)),
    Column("origin_kind", String(8)),
    Column("origin_seq", Integer),
    Column("run_key", String(36)),
    Column("root_id", String(36)),
    Column("crashes", Integer, nullable=False, server_default="0"),
    Column("full_rights", Boolean, nullable=False, server_default=text("0")),
    Column("approval_ended", Boolean, nullable=False, server_default=text("0")),
    UniqueConstraint("flow_id", "internal_id", name="execution_event"),
    Index("execution_newest", "created_at", "id"),
    Index("execution_status", "status", "created_at", "id"),
    Index("execution_flow", "flow_id", "created_at", "id"),
    Index("execution_queued", "created_at", sqlite_where=text("status = 'queued'")),
    Index("execution_waiting", "wake_at", sqlite_where=text("status = 'waiting'")),
    Index("execution_origin", "origin_id", sqlite_where=text("origin_id IS NOT NULL")),
    Index("execution_root", "root_id", sqlite_where=text("root_id IS NOT NULL")),
    Index("execution_suspect", "created_at", sqlite_where=text("crashes > 0")),
)
"""`origin_seq`: the step of the origin that called this execution. `run_key`: prefix of idempotency keys, if
not the execution's own ID. `root_id`: the run that started this one, directly or not. `crashes`: how often
the program crashed while the run was at the step at `cursor`. `full_rights`: started with full rights.
`approval_ended`: started without it, when the approved version wasn't the published one any more. `priority`
is unused, and kept because removing a column would rebuild the table."""

run_tree = Table(
    "run_tree",
    metadata,
    Column("root_id", String(36), primary_key=True),
    Column("runs", Integer, nullable=False),
    sqlite_with_rowid=False,
)
"""Number of runs in each run tree, the root included; only roots that started others have a row. Not counted
from the executions, so that deleting old ones doesn't lower the count."""

execution_tally = Table(
    "execution_tally",
    metadata,
    Column("flow_id", String(36), primary_key=True),
    Column("span", Integer, primary_key=True),
    Column("start", Integer, primary_key=True),
    Column("status", String(16), primary_key=True),
    Column("test_run", Boolean, primary_key=True),
    Column("runs", Integer, nullable=False),
    sqlite_with_rowid=False,
)
"""Counters of finished executions, see `counters`; read through the view `execution_counts`."""

execution_tally_fresh = Table(
    "execution_tally_fresh",
    metadata,
    Column("hour", Integer, primary_key=True),
    Column("flow_id", String(36), primary_key=True),
    Column("status", String(16), primary_key=True),
    Column("test_run", Boolean, primary_key=True),
    Column("runs", Integer, nullable=False),
    sqlite_with_rowid=False,
)
"""Counts added by the triggers on `execution` since the last `counters.fold`."""

execution_step = Table(
    "execution_step",
    metadata,
    Column("execution_id", String(36), primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("attempt", Integer, primary_key=True),
    Column("step_id", String(36), nullable=False),
    Column("status", String(16), nullable=False),
    Column("input", Text),
    Column("output", Text),
    Column("error", Text),
    Column("started_at", BigInteger),
    Column("finished_at", BigInteger),
    Column("warnings", Text),
    Column("path", String(64)),
    Index("execution_step_sample", "step_id", "finished_at", sqlite_where=text("status = 'success'")),
)

seen_event = Table(
    "seen_event",
    metadata,
    Column("flow_id", String(36), primary_key=True),
    Column("internal_id", String(255), primary_key=True),
    sqlite_with_rowid=False,
)
"""Events that must not start a run although they have no execution: they existed when the flow was published,
or their execution was deleted."""

passed_key = Table(
    "passed_key",
    metadata,
    Column("flow_id", String(36), primary_key=True),
    Column("key", String(255), primary_key=True),
    Column("passed_by", String(160), nullable=False),
    Column("passed_at", BigInteger, nullable=False),
    Column("expires_at", BigInteger),
    Index("passed_key_expiry", "expires_at", sqlite_where=text("expires_at IS NOT NULL")),
    sqlite_with_rowid=False,
)
"""Keys that passed a step “Continue only once”, see `passed_keys`. Rows are deleted after `expires_at`."""

trigger_state = Table(
    "trigger_state",
    metadata,
    Column("flow_id", ForeignKey("flow.id"), primary_key=True),
    Column("cursor", Text, nullable=False, server_default="{}"),
    Column("next_due_at", BigInteger),
    Column("source", Integer, nullable=False, server_default="1"),
)

connection = Table(
    "connection",
    metadata,
    _id(),
    Column("user_id", ForeignKey("user.id"), nullable=False),
    Column("app_key", String(255), nullable=False),
    Column("screen_name", String(255), nullable=False, server_default=""),
    Column("formatted_data", Text, nullable=False, server_default="{}"),
    Column("verified", Boolean, nullable=False, server_default=text("0")),
    Column("health", String(24), nullable=False, server_default="never_tested"),
    Column("reason", Text),
    Column("tested_at", BigInteger),
    *_times(),
    Column("deleted_at", BigInteger),
    Column("account", String(255)),
    Column("expires_at", BigInteger),
    Column("rate_limit", Text),
    Column("approved", Boolean, nullable=False, server_default=text("0")),
    Index("connection_app", "app_key"),
)
"""`approved`: its values were last entered by a user with full rights, so it may call internal addresses."""

secret = Table(
    "secret",
    metadata,
    Column("connection_id", ForeignKey("connection.id"), primary_key=True),
    Column("format", Integer, nullable=False),
    Column("key_id", String(36), nullable=False),
    Column("nonce", LargeBinary, nullable=False),
    Column("ciphertext", LargeBinary, nullable=False),
)

webhook_secret = Table(
    "webhook_secret",
    metadata,
    Column("flow_id", ForeignKey("flow.id"), primary_key=True),
    Column("format", Integer, nullable=False),
    Column("key_id", String(36), nullable=False),
    Column("nonce", LargeBinary, nullable=False),
    Column("ciphertext", LargeBinary, nullable=False),
)
"""Secrets with which services sign their deliveries to published flows, encrypted like `secret`."""

sign_in = Table(
    "sign_in",
    metadata,
    _id(),
    Column("app_key", String(255), nullable=False),
    Column("connection_id", String(36)),
    Column("state_hash", String(64), unique=True),
    Column("created_at", BigInteger, nullable=False),
    Column("expires_at", BigInteger, nullable=False),
    Column("answered_at", BigInteger),
    Column("format", Integer, nullable=False),
    Column("key_id", String(36), nullable=False),
    Column("nonce", LargeBinary, nullable=False),
    Column("ciphertext", LargeBinary, nullable=False),
)
"""Browser sign-ins in progress, encrypted like `secret`."""

meta = Table(
    "meta",
    metadata,
    Column("key", String(64), primary_key=True),
    Column("value", Text, nullable=False),
)
"""Key-value pairs: profile ID, ID and check value of the encryption key, and more."""

template = Table(
    "template",
    metadata,
    _id(),
    Column("name", String(255), nullable=False),
    Column("description", Text, nullable=False, server_default=""),
    Column("category", String(64), nullable=False, server_default=""),
    Column("flow_data", Text, nullable=False),
    *_times(),
)

api_key = Table(
    "api_key",
    metadata,
    _id(),
    Column("name", String(255), nullable=False),
    Column("hash", String(64), nullable=False, unique=True),
    Column("hint", String(16), nullable=False),
    Column("user_id", String(36)),
    Column("created_at", BigInteger, nullable=False),
    Column("last_used_at", BigInteger),
    Column("scope", String(8), nullable=False, server_default="admin"),
)

audit = Table(
    "audit",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("at", BigInteger, nullable=False),
    Column("actor_kind", String(16), nullable=False),
    Column("actor_id", String(36)),
    Column("actor_name", String(255), nullable=False),
    Column("actor_user_id", String(36)),
    Column("address", String(64)),
    Column("deed", String(16), nullable=False),
    Column("noun", String(16), nullable=False),
    Column("subject_id", String(36)),
    Column("subject", String(255), nullable=False, server_default=""),
    Index("audit_subject", "subject_id", "id"),
)
"""Changes made by users and API keys, see `AuditEntry`. Written in the commit of the change."""

datastore = Table(
    "datastore",
    metadata,
    Column("flow_id", String(36), primary_key=True),
    Column("key", String(255), primary_key=True),
    Column("value", Text),
    Column("updated_at", BigInteger, nullable=False),
)
