"""The analyzer: what a question says about itself."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, tzinfo

import attrs

from comis_core.model import Query, TimeWindow
from comis_core.protocols import BuildContext, ScopeView
from comis_core.senders import Roles
from comis_core.text import Analyser
from comis_plugins.query_understanding.company import Company
from comis_plugins.query_understanding.intent import intent_of
from comis_plugins.query_understanding.options import QueryUnderstandingOptions
from comis_plugins.query_understanding.participants import Mention
from comis_plugins.query_understanding.synonyms import Synonyms
from comis_plugins.query_understanding.times import time_window

LONGEST = 4_000
"""Characters of a question that are read; what is longer was pasted, and is left as it is."""


def build(context: BuildContext, options: QueryUnderstandingOptions) -> QueryUnderstanding:
    """The analyzer of one agent."""
    return QueryUnderstanding(context.text, context.roles, options)


class QueryUnderstanding:
    """Participants, time window, intent and synonyms. State: the names of the scope's senders as last seen."""

    def __init__(self, analyser: Analyser, roles: Roles, options: QueryUnderstandingOptions) -> None:
        self._analyser = analyser
        self._roles = roles
        self._options = options
        self._synonyms = Synonyms.of(analyser, options.synonyms_map if options.synonyms else {})
        self._known: Company | None = None

    def analyze(self, query: Query, scope_view: ScopeView, now: int) -> Query:
        """The query with what its text says. What an earlier analyzer found is kept where nothing else is found."""
        if len(query.text) > LONGEST:
            return query
        options = self._options
        mentions: Sequence[Mention] = ()
        if options.participants:
            company = self._company(scope_view.senders)
            mentions = company.names.mentions(query.text)
            query = company.asked_about(query, mentions)
        intent = intent_of(query.text)
        window = query.time_window
        if options.temporal_parse:
            window = _window(query, mentions, now, options.hard_window) or window
        return attrs.evolve(
            query,
            lexical_text=self._synonyms.added_to(query.lexical_text),
            intent=intent,
            time_window=window,
            lane_multipliers=self._multipliers(query, intent),
        )

    def _company(self, senders: Mapping[str, int]) -> Company:
        known = self._known
        if known is None or known.senders != senders.keys():
            known = self._known = Company.of(senders, self._analyser, self._roles)
        return known

    def _multipliers(self, query: Query, intent: str) -> Mapping[str, float]:
        factors = self._options.intent_weights.get(intent, {}) if self._options.intent_reweight else {}
        given = query.lane_multipliers
        return {**given, **{lane: factor * given.get(lane, 1.0) for lane, factor in factors.items()}}


def _window(query: Query, mentions: Iterable[Mention], now: int, hard: bool) -> TimeWindow | None:
    """The time window of the text, in which a person called May or Sunday is no date."""
    text = query.text
    for mention in mentions:
        text = text[: mention.start] + "_" * (mention.end - mention.start) + text[mention.end :]
    return time_window(text, now=now, zone=_zone(query.time_zone), zone_name=query.time_zone, hard=hard)


@functools.lru_cache(maxsize=64)
def _zone(name: str) -> tzinfo:
    if name == "UTC":
        return UTC
    from zoneinfo import ZoneInfo

    return ZoneInfo(name)
