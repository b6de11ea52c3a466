"""Plugin `lexical`: exact BM25 over a scope's own words, in RAM; stems, word beginnings and character trigrams."""

from __future__ import annotations

from collections.abc import Iterable

from comis_core import hookimpl
from comis_core.specs import IndexSpec, LaneSpec, Section, on_demand


@hookimpl
def comis_indexes() -> Iterable[IndexSpec]:
    """The table `lexical_postings`."""
    from comis_plugins.lexical.index import MIGRATIONS, build, version

    yield IndexSpec(
        name="lexical",
        build=build,
        serves=("lexical",),
        version=version,
        migrations=MIGRATIONS,
        help="hashes of stems, prefixes and trigrams, a row a memory",
    )


@hookimpl
def comis_lanes() -> Iterable[LaneSpec]:
    """The lexical lane."""
    from comis_plugins.lexical.options import LexicalBudget, LexicalOptions

    yield LaneSpec(
        name="lexical",
        build=on_demand("comis_plugins.lexical.lane:build"),
        sections=(Section("rag.lanes.lexical", LexicalOptions), Section("", LexicalBudget, "engine")),
        order=5,
        help="BM25 over stems, prefixes and trigrams with the scope's own statistics",
    )
