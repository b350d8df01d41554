"""The tables of what is kept of a service. Another version begins anew."""

VERSION = 1
EMPTY_ALL_TABLES = ("DELETE FROM answer", "DELETE FROM note", "DELETE FROM flow", "DELETE FROM run")

SCHEMA = """
CREATE TABLE IF NOT EXISTS answer (
    question TEXT PRIMARY KEY, body BLOB NOT NULL, size INTEGER NOT NULL, used INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS answer_used ON answer (used);
CREATE TABLE IF NOT EXISTS note (name TEXT PRIMARY KEY, body TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS flow (
    number INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, id TEXT NOT NULL, name TEXT NOT NULL,
    apps TEXT NOT NULL, body TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS flow_id ON flow (id);
CREATE TABLE IF NOT EXISTS run (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL, state TEXT NOT NULL, flow INTEGER NOT NULL,
    test_run INTEGER NOT NULL, note TEXT, origin_id TEXT, met INTEGER NOT NULL, looked_at INTEGER NOT NULL,
    body TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS run_time ON run (created_at, id, state, flow, test_run);
CREATE INDEX IF NOT EXISTS run_flow ON run (flow, created_at, id, state, test_run);
CREATE INDEX IF NOT EXISTS run_state ON run (state, created_at, id, flow, test_run)
"""
"""A flow as executions show it is stored once for each form it had, since it is the larger part of them."""
