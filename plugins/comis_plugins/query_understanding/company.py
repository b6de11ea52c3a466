"""Whom a question is about, among those who speak in the scope."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import attrs

from comis_core.model import Query
from comis_core.model.shown import Compared
from comis_core.senders import ASSISTANT, Roles
from comis_core.text import Analyser
from comis_plugins.query_understanding.calls import calls, without_spans
from comis_plugins.query_understanding.deixis import meant, tellers
from comis_plugins.query_understanding.participants import Mention, Names, people
from comis_plugins.query_understanding.person import dense_text, in_second_person, without, without_saying


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Company(Compared):
    """The senders of a scope. names: of those who have one. roles: who is a person and who a machine beside them."""

    senders: frozenset[str]
    names: Names
    roles: Roles
    analyser: Analyser

    @classmethod
    def of(cls, senders: Iterable[str], analyser: Analyser, roles: Roles) -> Company:
        """From the senders of a scope and the roles of the agent."""
        everyone = frozenset(senders)
        beside = roles.beside(everyone)
        return cls(senders=everyone, names=Names.of(everyone, analyser, beside), roles=beside, analyser=analyser)

    def asked_about(self, query: Query, mentions: Sequence[Mention]) -> Query:
        """The query with whom it is about and the texts that its lanes search. mentions: in its text.

        Stop words alone say nothing of what somebody said, and are not searched for.
        """
        text, named = self._without_calls(query, mentions)
        if self._mentions_an_assistant(named):
            query = self._of_an_assistant(query, named)
        elif named:
            about = _about(query, text, named, addressed=self._is_an_assistant(named[0]))
            query = self._with_teller(query, about, named[0])
        elif not query.participants:
            query = attrs.evolve(query, participants=self._meant(text, query.asker))
        if not query.participants:
            return query
        lexical = without_saying(query.lexical_text)
        asks = self.analyser.analyse(lexical).has_content
        return attrs.evolve(query, lexical_text=lexical if asks else "")

    def _without_calls(self, query: Query, mentions: Sequence[Mention]) -> tuple[str, Sequence[Mention]]:
        """The text and its mentions without the calls of an assistant where somebody else is named.

        "Alfred, what did you tell Ben?" stays as it is: its you is the one who is called.
        """
        called = [call for call in calls(query.text, mentions) if self._is_an_assistant(call.mention)]
        if not called or len(people(mentions)) == len(people(call.mention for call in called)):
            return query.text, mentions
        text = without_spans(query.text, [(call.start, call.end) for call in called])
        if any(self.roles.machine(sender) for sender in self._meant(text, query.asker)):
            return query.text, mentions
        return text, self.names.mentions(text)

    def _of_an_assistant(self, query: Query, mentions: Sequence[Mention]) -> Query:
        """About the one assistant that is mentioned, unless the question would mean somebody else if it said you."""
        wanted = self._meant(in_second_person(query.text, mentions), query.asker)
        others = tuple(sender for sender in wanted if not self.roles.machine(sender))
        query = _about(query, query.text, mentions, addressed=True)
        return attrs.evolve(query, participants=others or query.participants)

    def _with_teller(self, query: Query, about: Query, mention: Mention) -> Query:
        """The query, which is `about` whom it mentions, about who spoke to him first: "What did you tell Ben?"."""
        told = tellers(query.text, mention.start, self.senders, query.asker, self.roles)
        told = tuple(sender for sender in told if sender not in about.participants)
        alone = about.participants == mention.name.spellings
        return attrs.evolve(query, participants=(*told, *about.participants)) if told and alone else about

    def _mentions_an_assistant(self, mentions: Sequence[Mention]) -> bool:
        return len(people(mentions)) == 1 and self._is_an_assistant(mentions[0])

    def _is_an_assistant(self, mention: Mention) -> bool:
        return self.roles.machine(mention.name.spellings[0]) == ASSISTANT

    def _meant(self, text: str, asker: str | None) -> tuple[str, ...]:
        return meant(text, self.senders, asker, self.roles)


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
