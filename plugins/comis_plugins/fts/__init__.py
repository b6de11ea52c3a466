"""Plugin `fts`: full-text search by SQLite FTS5; any size, no memory of its own, statistics of the whole file."""

from __future__ import annotations

from collections.abc import Iterable

from comis_core import hookimpl
from comis_core.specs import IndexSpec, LaneSpec, Section, on_demand


@hookimpl
def comis_indexes() -> Iterable[IndexSpec]:
    """The table `fts_text`."""
    from comis_plugins.fts.index import MIGRATIONS, build, version

    yield IndexSpec(
        name="fts",
        build=build,
        serves=("fts",),
        version=version,
        migrations=MIGRATIONS,
        help="SQLite FTS5 table of stems by field",
    )


@hookimpl
def comis_lanes() -> Iterable[LaneSpec]:
    """The full-text lane."""
    from comis_plugins.fts.options import FtsOptions

    yield LaneSpec(
        name="fts",
        build=on_demand("comis_plugins.fts.lane:build"),
        sections=(Section("rag.lanes.fts", FtsOptions),),
        order=10,
        help="BM25 over stems of content, title, speaker, date and tags",
    )
