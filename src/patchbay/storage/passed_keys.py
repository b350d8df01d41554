"""Keys that may pass once per period; see table `passed_key`."""

from sqlalchemy import Connection, select

from patchbay.domain.base import EpochMs, FlowId
from patchbay.domain.engine_store import KeyPass
from patchbay.storage.driver import Driver
from patchbay.storage.tables import passed_key

_PASS = """
INSERT INTO passed_key (flow_id, key, passed_by, passed_at, expires_at)
VALUES (:flow_id, :key, :passed_by, :at, :expires_at)
ON CONFLICT (flow_id, key) DO UPDATE SET
    passed_at = CASE WHEN passed_key.passed_by = excluded.passed_by
        THEN passed_key.passed_at ELSE excluded.passed_at END,
    expires_at = CASE WHEN passed_key.passed_by = excluded.passed_by
        THEN passed_key.expires_at ELSE excluded.expires_at END,
    passed_by = excluded.passed_by
WHERE passed_key.passed_by = excluded.passed_by OR passed_key.passed_at <= :passed_before
"""
_PASSED_AT = "SELECT passed_at FROM passed_key WHERE flow_id = :flow_id AND key = :key"
_BEGIN_PERIOD_AGAIN = """
UPDATE passed_key SET passed_at = :at, expires_at = :expires_at WHERE flow_id = :flow_id AND key = :key
"""


def pass_key(driver: Driver, flow_id: FlowId, key: KeyPass) -> EpochMs | None:
    """Let a key pass, unless it passed within its period for another step; see `EngineStore.pass_key`."""
    row = {
        "flow_id": flow_id,
        "key": key.key,
        "passed_by": key.passed_by,
        "at": key.at,
        "expires_at": None if key.period_ms is None else key.at + key.period_ms,
        "passed_before": None if key.period_ms is None else key.at - key.period_ms,
    }
    if driver.execute(_PASS, row).rowcount > 0:
        return None
    passed_at: EpochMs = driver.execute(_PASSED_AT, row).fetchone()[0]
    if passed_at > key.at:
        # The clock was set back: without this, the key would be blocked until the old time comes again.
        driver.execute(_BEGIN_PERIOD_AGAIN, row)
    return passed_at


def passed_at(tx: Connection, flow_id: FlowId, key: str) -> EpochMs | None:
    """When a key last passed; None if that isn't known."""
    query = select(passed_key.c.passed_at).where(passed_key.c.flow_id == flow_id, passed_key.c.key == key)
    return tx.execute(query).scalar()
