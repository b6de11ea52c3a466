"""The analyzer: what a question says about itself."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, tzinfo

import attrs

from comis_core.model import Query, TimeWindow
from comis_core.protocols import BuildContext, ScopeView
from comis_core.senders import ASSISTANT, Roles
from comis_core.text import Analyser
from comis_plugins.query_understanding.deixis import meant
from comis_plugins.query_understanding.intent import intent_of
from comis_plugins.query_understanding.options import QueryUnderstandingOptions
from comis_plugins.query_understanding.participants import Mention, Names, people
from comis_plugins.query_understanding.person import dense_text, in_second_person, without, without_saying
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
        self._known: tuple[frozenset[str], Names] | None = None

    def analyze(self, query: Query, scope_view: ScopeView, now: int) -> Query:
        """The query with what its text says. What an earlier analyzer found is kept where nothing else is found."""
        if len(query.text) > LONGEST:
            return query
        options = self._options
        mentions = self._names(scope_view.senders).mentions(query.text) if options.participants else []
        if self._mentions_an_assistant(mentions):
            query = self._of_an_assistant(query, mentions, scope_view.senders)
        elif mentions:
            query = _about(query, mentions)
        elif options.participants and not query.participants:
            query = attrs.evolve(query, participants=meant(query.text, scope_view.senders, query.asker, self._roles))
        if options.participants and query.participants:
            query = attrs.evolve(query, lexical_text=without_saying(query.lexical_text))
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

    def _of_an_assistant(self, query: Query, mentions: Sequence[Mention], senders: Mapping[str, int]) -> Query:
        """About the one assistant that is mentioned, unless the question would mean somebody else if it said you."""
        wanted = meant(in_second_person(query.text, mentions), senders, query.asker, self._roles)
        others = tuple(sender for sender in wanted if not self._roles.machine(sender))
        query = _about(query, mentions, addressed=True)
        return attrs.evolve(query, participants=others or query.participants)

    def _mentions_an_assistant(self, mentions: Sequence[Mention]) -> bool:
        named = people(mentions)
        return len(named) == 1 and self._roles.machine(named[0].spellings[0]) == ASSISTANT

    def _names(self, senders: Mapping[str, int]) -> Names:
        known = self._known
        if known is None or known[0] != senders.keys():
            known = self._known = (frozenset(senders), Names.of(senders, self._analyser, self._roles))
        return known[1]

    def _multipliers(self, query: Query, intent: str) -> Mapping[str, float]:
        factors = self._options.intent_weights.get(intent, {}) if self._options.intent_reweight else {}
        given = query.lane_multipliers
        return {**given, **{lane: factor * given.get(lane, 1.0) for lane, factor in factors.items()}}


def _about(query: Query, mentions: Sequence[Mention], *, addressed: bool = False) -> Query:
    """The query with its participants and the texts that its lanes search."""
    named = people(mentions)
    untouched = query.dense_text == query.text
    return attrs.evolve(
        query,
        participants=tuple(spelling for name in named for spelling in name.spellings),
        lexical_text=without(query.lexical_text, mentions) if _is_sole(query, named) else query.lexical_text,
        dense_text=dense_text(query.text, mentions, addressed=addressed) if untouched else query.dense_text,
    )


def _is_sole(query: Query, named: Sequence[object]) -> bool:
    return len(named) == 1 and query.lexical_text == query.text


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
