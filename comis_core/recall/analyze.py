"""Analyze: what the question says about itself, and what that means for the filters."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, tzinfo
from functools import lru_cache, partial

import attrs

from comis_core.errors import ComisError, shown
from comis_core.model import Filters, Query, Trust, from_microseconds
from comis_core.protocols import Analyzer, ScopeView
from comis_core.recall.checks import check_query
from comis_core.recall.guard import Guard
from comis_core.recall.parts import Bound
from comis_core.text import normalise


def clean(text: str) -> str:
    """The text in NFC and encodable: what no encoder can take (lone surrogates, NUL) is replaced, nothing raises."""
    return normalise(text.encode("utf-8", "replace").decode("utf-8")).replace("\0", " ")


def zone(name: str) -> tzinfo:
    """The time zone of an IANA name. Raises ComisError for an unknown one."""
    if name == "UTC":
        return UTC
    from zoneinfo import ZoneInfo

    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError, TypeError) as error:
        raise ComisError(
            f"there is no time zone {shown(name)}", hint="use an IANA name such as Europe/Lisbon, or UTC"
        ) from error


def analyze(analyzers: Sequence[Bound[Analyzer]], query: Query, view: ScopeView, now: int, guard: Guard) -> Query:
    """The query after every analyzer in order; one that fails leaves it as it was before."""
    for analyzer in analyzers:
        query = guard.attempt(analyzer, "analyzer", partial(_analyzed, query=query, view=view, now=now)) or query
    return query


def _analyzed(analyzer: Analyzer, *, query: Query, view: ScopeView, now: int) -> Query:
    return check_query(analyzer.analyze(query, view, now), query)


@lru_cache(maxsize=256)
def effective_filters(filters: Filters | None, allowed: tuple[Trust, ...]) -> Filters:
    """The caller's filters; where he names no trust levels, the agent's `includeTrustLevels` hold."""
    filters = filters or Filters()
    return filters if filters.trust is not None else attrs.evolve(filters, trust=frozenset(allowed))


def narrowed(filters: Filters, query: Query) -> Filters:
    """The filters with the query's time window in them, if the window is a hard one."""
    window = query.time_window
    if window is None or not window.hard:
        return filters
    return attrs.evolve(filters, since=_later(filters.since, window.start), until=_earlier(filters.until, window.end))


def _later(bound: datetime | None, edge: int | None) -> datetime | None:
    if edge is None:
        return bound
    moment = from_microseconds(edge)
    return moment if bound is None else max(bound, moment)


def _earlier(bound: datetime | None, edge: int | None) -> datetime | None:
    if edge is None:
        return bound
    moment = from_microseconds(edge)
    return moment if bound is None else min(bound, moment)
