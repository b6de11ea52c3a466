"""The analyzer: known names in a question, and their other names."""

from __future__ import annotations

import attrs

from comis_core.mentions import Names
from comis_core.model import Query
from comis_core.protocols import BuildContext, ScopeView
from comis_plugins.entities.known import mentioned
from comis_plugins.entities.scanning import plain

MOST = 8
"""Other names that are searched besides those of the question."""


def build(context: BuildContext) -> EntityAnalyzer:
    """The analyzer of one agent."""
    return EntityAnalyzer()


class EntityAnalyzer:
    """Finds the scope's entities in a question, by any of their names. State: the names as they were last seen."""

    def __init__(self) -> None:
        self._names: Names | None = None

    def analyze(self, query: Query, scope_view: ScopeView, now: int) -> Query:
        """The query with the canonical names (folded) of what it mentions, after those that it had already.

        What goes by several names is searched by all of them: an alias that no memory has in its text would find
        nothing. Not so somebody who speaks in the scope, whose name stands on every turn.
        """
        known = scope_view.entities
        if not known:
            return query
        names = self._names = Names.of(scope_view, self._names)
        said = dict(mentioned(plain(query.text), known.__contains__, asking=True))
        found = dict.fromkeys(known[name] for name in said)
        others = [
            name
            for entity in found
            if entity not in names.speaking
            for name in names.spellings.all(entity)
            if name not in said
        ]
        return attrs.evolve(
            query,
            entities=tuple(dict.fromkeys((*query.entities, *found))),
            lexical_text=" ".join((query.lexical_text, *others[:MOST])),
        )
