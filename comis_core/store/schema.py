"""The core's tables. `memories` and `annotations` are the truth; everything else derives from them or is state."""

from __future__ import annotations

from comis_core.specs import Migration

PAGE_SIZE = 8192
"""Vectors of 384 float32 overflow smaller pages: five times slower to read and three times larger at 4096."""

# memories_scope names all that the view of a whole scope looks at, even columns that are NULL in each of its rows:
# SQLite takes an index for covering only then, and counting a scope is three times as fast.
TABLES = """
CREATE TABLE scopes(
  scope INTEGER PRIMARY KEY, tenant TEXT NOT NULL, agent TEXT NOT NULL, UNIQUE(tenant, agent));
CREATE TABLE memories(
  pk INTEGER PRIMARY KEY AUTOINCREMENT, id BLOB NOT NULL, scope INTEGER NOT NULL REFERENCES scopes(scope),
  type INTEGER NOT NULL, trust INTEGER NOT NULL,
  sender TEXT, channel TEXT, session TEXT, turn INTEGER,
  created_at INTEGER NOT NULL, created_given INTEGER NOT NULL, occurred_at INTEGER, expires_at INTEGER,
  evicted_at INTEGER, opened_at INTEGER NOT NULL, closed_at INTEGER,
  pinned INTEGER NOT NULL, proof_count INTEGER NOT NULL, confidence REAL NOT NULL, importance REAL,
  length INTEGER NOT NULL,
  fingerprint BLOB NOT NULL, key TEXT, title TEXT, tags TEXT NOT NULL, source_ids TEXT NOT NULL,
  content TEXT NOT NULL);
CREATE UNIQUE INDEX memories_live_id ON memories(id) WHERE closed_at IS NULL;
CREATE INDEX memories_versions ON memories(id, opened_at);
CREATE INDEX memories_scope ON memories(scope, pk, type, trust, expires_at, closed_at, evicted_at)
  WHERE closed_at IS NULL AND evicted_at IS NULL;
CREATE INDEX memories_fingerprint ON memories(scope, fingerprint) WHERE closed_at IS NULL;
CREATE INDEX memories_key ON memories(scope, key) WHERE closed_at IS NULL AND key IS NOT NULL;
CREATE INDEX memories_occurred ON memories(scope, occurred_at) WHERE closed_at IS NULL AND occurred_at IS NOT NULL;
CREATE INDEX memories_created ON memories(scope, created_at) WHERE closed_at IS NULL;
CREATE INDEX memories_expiry ON memories(scope, expires_at) WHERE expires_at IS NOT NULL AND closed_at IS NULL;
CREATE INDEX memories_uncommon ON memories(scope, trust) WHERE trust <> 1 AND closed_at IS NULL AND evicted_at IS NULL;
CREATE INDEX memories_closed ON memories(scope, closed_at) WHERE closed_at IS NOT NULL;
CREATE INDEX memories_derived ON memories(scope) WHERE source_ids <> '[]';
CREATE TABLE annotations(
  annotation INTEGER PRIMARY KEY, pk INTEGER NOT NULL REFERENCES memories(pk) ON DELETE CASCADE,
  scope INTEGER NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, label TEXT NOT NULL, predicate TEXT NOT NULL,
  value TEXT NOT NULL, target BLOB, confidence REAL NOT NULL, origin TEXT NOT NULL,
  occurred_at INTEGER, opened_at INTEGER NOT NULL, closed_at INTEGER);
CREATE INDEX annotations_memory ON annotations(pk, kind);
CREATE INDEX annotations_name ON annotations(scope, kind, name, pk) WHERE closed_at IS NULL;
CREATE INDEX annotations_target ON annotations(target, kind) WHERE target IS NOT NULL;
CREATE TABLE changes(
  seq INTEGER PRIMARY KEY AUTOINCREMENT, scope INTEGER NOT NULL, pk INTEGER NOT NULL, operation TEXT NOT NULL);
CREATE INDEX changes_scope ON changes(scope, seq);
CREATE TABLE watermarks(
  name TEXT PRIMARY KEY, version TEXT NOT NULL, seq INTEGER NOT NULL,
  position INTEGER NOT NULL, target INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE outbox(
  task INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, scope INTEGER NOT NULL, pk INTEGER,
  payload TEXT NOT NULL, attempts INTEGER NOT NULL DEFAULT 0, due INTEGER NOT NULL, error TEXT);
CREATE INDEX outbox_due ON outbox(due);
CREATE INDEX outbox_scope ON outbox(scope, kind, due);
CREATE INDEX outbox_memory ON outbox(pk) WHERE pk IS NOT NULL;
CREATE TABLE spaces(
  space INTEGER PRIMARY KEY, fingerprint TEXT NOT NULL UNIQUE, dimensions INTEGER NOT NULL);
CREATE TABLE vectors(
  rowid INTEGER PRIMARY KEY, space INTEGER NOT NULL REFERENCES spaces(space), scope INTEGER NOT NULL,
  pk INTEGER NOT NULL REFERENCES memories(pk) ON DELETE CASCADE, part INTEGER NOT NULL, vector BLOB NOT NULL,
  UNIQUE(space, scope, pk, part));
CREATE INDEX vectors_memory ON vectors(pk);
CREATE TABLE sequence(
  scope INTEGER NOT NULL, pk INTEGER NOT NULL REFERENCES memories(pk) ON DELETE CASCADE,
  stems INTEGER NOT NULL, asks INTEGER NOT NULL, dated INTEGER NOT NULL, PRIMARY KEY(scope, pk)) WITHOUT ROWID;
CREATE INDEX sequence_memory ON sequence(pk);
CREATE TABLE traces(
  trace INTEGER PRIMARY KEY AUTOINCREMENT, id BLOB NOT NULL UNIQUE, scope INTEGER NOT NULL REFERENCES scopes(scope),
  kind TEXT NOT NULL, asked_at INTEGER NOT NULL, record TEXT NOT NULL);
CREATE INDEX traces_scope ON traces(scope, trace);
"""

EVICTIONS = """
CREATE TABLE evictions(
  pk INTEGER NOT NULL REFERENCES memories(pk) ON DELETE CASCADE, evicted_at INTEGER NOT NULL,
  restored_at INTEGER NOT NULL, PRIMARY KEY(pk, evicted_at, restored_at)) WITHOUT ROWID;
"""
"""When versions that are in sight again were out of it, which record time still tells."""

MIGRATIONS = (Migration("0001_tables", TABLES), Migration("0002_evictions", EVICTIONS))
"""The core's own migration set, recorded under the owner "core"."""

VIEW_PARAMETERS = (
    "scope",
    "now",
    "trust_mask",
    "type_mask",
    "tags",
    "since",
    "until",
    "record_as_of",
    "event_as_of",
    "historic",
)
"""Columns of the one-row TEMP table `recall_parameters` that the TEMP views read by scalar subqueries."""
