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
from comis_plugins.query_understanding.calls import calls, without_spans
from comis_plugins.query_understanding.deixis import meant, tellers
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
        if options.participants:
            query = self._with_participants(query, mentions, scope_view.senders)
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

    def _with_participants(self, query: Query, mentions: Sequence[Mention], senders: Mapping[str, int]) -> Query:
        """The query with whom it is about and the texts that its lanes search.

        Stop words alone say nothing of what somebody said, and are not searched for.
        """
        text, named = self._without_calls(query, mentions, senders)
        if self._mentions_an_assistant(named):
            query = self._of_an_assistant(query, named, senders)
        elif named:
            about = _about(query, text, named, addressed=self._is_an_assistant(named[0]))
            query = self._with_teller(query, about, named[0], senders)
        elif not query.participants:
            query = attrs.evolve(query, participants=meant(text, senders, query.asker, self._roles))
        if not query.participants:
            return query
        lexical = without_saying(query.lexical_text)
        asks = any(not token.stop for token in self._analyser.analyse(lexical).tokens)
        return attrs.evolve(query, lexical_text=lexical if asks else "")

    def _without_calls(
        self, query: Query, mentions: Sequence[Mention], senders: Mapping[str, int]
    ) -> tuple[str, Sequence[Mention]]:
        """The text and its mentions without the calls of an assistant where somebody else is named.

        "Alfred, what did you tell Ben?" stays as it is: its you is the one who is called.
        """
        called = [call for call in calls(query.text, mentions) if self._is_an_assistant(call.mention)]
        if not called or len(people(mentions)) == len(people(call.mention for call in called)):
            return query.text, mentions
        text = without_spans(query.text, [(call.start, call.end) for call in called])
        if any(self._roles.machine(sender) for sender in meant(text, senders, query.asker, self._roles)):
            return query.text, mentions
        return text, self._names(senders).mentions(text)

    def _of_an_assistant(self, query: Query, mentions: Sequence[Mention], senders: Mapping[str, int]) -> Query:
        """About the one assistant that is mentioned, unless the question would mean somebody else if it said you."""
        wanted = meant(in_second_person(query.text, mentions), senders, query.asker, self._roles)
        others = tuple(sender for sender in wanted if not self._roles.machine(sender))
        query = _about(query, query.text, mentions, addressed=True)
        return attrs.evolve(query, participants=others or query.participants)

    def _with_teller(self, query: Query, about: Query, mention: Mention, senders: Mapping[str, int]) -> Query:
        """The query, which is `about` whom it mentions, about who spoke to him first: "What did you tell Ben?"."""
        told = tellers(query.text, mention.start, senders, query.asker, self._roles)
        told = tuple(sender for sender in told if sender not in about.participants)
        alone = about.participants == mention.name.spellings
        return attrs.evolve(query, participants=(*told, *about.participants)) if told and alone else about

    def _mentions_an_assistant(self, mentions: Sequence[Mention]) -> bool:
        return len(people(mentions)) == 1 and self._is_an_assistant(mentions[0])

    def _is_an_assistant(self, mention: Mention) -> bool:
        return self._roles.machine(mention.name.spellings[0]) == ASSISTANT

    def _names(self, senders: Mapping[str, int]) -> Names:
        known = self._known
        if known is None or known[0] != senders.keys():
            known = self._known = (frozenset(senders), Names.of(senders, self._analyser, self._roles))
        return known[1]

    def _multipliers(self, query: Query, intent: str) -> Mapping[str, float]:
        factors = self._options.intent_weights.get(intent, {}) if self._options.intent_reweight else {}
        given = query.lane_multipliers
        return {**given, **{lane: factor * given.get(lane, 1.0) for lane, factor in factors.items()}}


def _about(query: Query, text: str, mentions: Sequence[Mention], *, addressed: bool = False) -> Query:
    """The query with its participants and the texts that its lanes search.

    text: the question without calls. mentions: in it.
    """
    named = people(mentions)
    lexical, dense = query.lexical_text, query.dense_text
    if lexical == query.text:
        lexical = without(text, mentions) if len(named) == 1 else text
    if dense == query.text:
        dense = dense_text(text, mentions, addressed=addressed)
    participants = tuple(spelling for name in named for spelling in name.spellings)
    return attrs.evolve(query, participants=participants, lexical_text=lexical, dense_text=dense)


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
