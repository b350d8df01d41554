"""The programs that share a PostgreSQL database: who is alive, and recovery of the runs of those that aren't.

Each program has a row in `program`, which it renews. All times are the server's, so the clocks of computers
needn't agree. A program whose row expired is removed, and its runs are queued again: their tokens begin with
its ID. If it was only stopped or cut off, it finds on its return that its tokens are no longer valid.

After an outage of the server all rows have expired, although the programs run. So a program only removes
others after it has been connected itself for as long as their rows are valid.
"""

from dataclasses import dataclass

from patchbay.domain.peers import PROGRAM_ID_LENGTH
from patchbay.storage.driver import StatementRunner

CREATE_TABLES = (
    """
CREATE TABLE IF NOT EXISTS program (
    id TEXT COLLATE "C" PRIMARY KEY, place TEXT NOT NULL, restricted BOOLEAN NOT NULL,
    expiry_ms BIGINT NOT NULL, started_at BIGINT NOT NULL, seen_at BIGINT NOT NULL)
""",
    """
CREATE TABLE IF NOT EXISTS trigger_claim (
    flow_id TEXT COLLATE "C" PRIMARY KEY REFERENCES trigger_state (flow_id) ON DELETE CASCADE,
    program_id TEXT COLLATE "C" NOT NULL)
""",
    """
CREATE TABLE IF NOT EXISTS limited_call (limit_key TEXT COLLATE "C" NOT NULL, called_at BIGINT NOT NULL)
""",
    "CREATE INDEX IF NOT EXISTS limited_call_key ON limited_call (limit_key, called_at)",
    "CREATE TABLE IF NOT EXISTS message_channel (one BOOLEAN PRIMARY KEY CHECK (one), name TEXT NOT NULL)",
    """
INSERT INTO message_channel VALUES (true, 'patchbay_' || replace(gen_random_uuid()::text, '-', ''))
ON CONFLICT DO NOTHING
""",
)
"""Only of PostgreSQL, and without anything to keep: `program` and `trigger_claim` are about running programs,
`limited_call` about the last moments. Publishing a flow again deletes its state, and so ends a claim.

`message_channel` has the name under which programs notify each other. It is secret, because any role that may
connect to the database can listen and send under a name that it knows.
"""

NOW = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"

_PUT = f"""
INSERT INTO program (id, place, restricted, expiry_ms, started_at, seen_at) VALUES (?, ?, ?, ?, {NOW}, {NOW})
ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at
"""
_LEADER = "SELECT id FROM program ORDER BY restricted, started_at, id LIMIT 1"
_REMOVE_PREDECESSOR = "DELETE FROM program WHERE place = ? AND id <> ?"
_REMOVE_EXPIRED = f"DELETE FROM program WHERE id <> ? AND seen_at + expiry_ms < {NOW} AND expiry_ms <= ?"
_QUEUE_ORPHANS = f"""
UPDATE execution
SET status = 'queued', run_token = NULL, updated_at = {NOW}, crashes = crashes + 1
WHERE id IN (
    SELECT id FROM execution AS orphan
    WHERE status = 'running' AND NOT EXISTS (
        SELECT 1 FROM program WHERE program.id = left(orphan.run_token, {PROGRAM_ID_LENGTH}))
    FOR UPDATE SKIP LOCKED)
"""
"""A run that another transaction is changing is left to the next time."""
_QUEUE_OWN = f"""
UPDATE execution SET status = 'queued', run_token = NULL, updated_at = {NOW}
WHERE status = 'running' AND left(run_token, {PROGRAM_ID_LENGTH}) = ?
"""
_END_CLAIMS = "DELETE FROM trigger_claim WHERE program_id = ?"
_REMOVE = "DELETE FROM program WHERE id = ?"


@dataclass(frozen=True, slots=True)
class Registration:
    """How a program registers.

    `place` is unique to its data folder, which only one program at a time can have; empty for one that has
    no folder to itself. So a program that starts there knows that the last one has ended.
    """

    id: str
    place: str = ""
    restricted: bool = False
    expiry_ms: int = 20_000


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """What a heartbeat found: whether this program is the leader, and how many runs it queued again."""

    is_leader: bool
    recovered: int


def register(driver: StatementRunner, program: Registration) -> int:
    """Add a program, and queue the runs of the last one at its place. Returns how many it queued."""
    _put(driver, program)
    if program.place:
        driver.execute(_REMOVE_PREDECESSOR, (program.place, program.id))
    return driver.execute(_QUEUE_ORPHANS).rowcount


def renew(driver: StatementRunner, program: Registration, connected_ms: int) -> Heartbeat:
    """Renew a program's row, also if others removed it, and remove those that expired.

    `connected_ms` is for how long it has been connected without interruption.
    """
    _put(driver, program)
    driver.execute(_REMOVE_EXPIRED, (program.id, connected_ms))
    recovered = driver.execute(_QUEUE_ORPHANS).rowcount
    leader = driver.execute(_LEADER).fetchone()
    return Heartbeat(leader is not None and leader[0] == program.id, recovered)


def remove(driver: StatementRunner, program_id: str) -> None:
    """Remove a program that ends: its runs are queued again without counting a crash."""
    queue_runs_of(driver, program_id)
    driver.execute(_END_CLAIMS, (program_id,))
    driver.execute(_REMOVE, (program_id,))


def queue_runs_of(driver: StatementRunner, program_id: str) -> int:
    """Queue the runs of a program again without counting a crash. Returns how many."""
    return driver.execute(_QUEUE_OWN, (program_id,)).rowcount


def _put(driver: StatementRunner, program: Registration) -> None:
    driver.execute(_PUT, (program.id, program.place, program.restricted, program.expiry_ms))
