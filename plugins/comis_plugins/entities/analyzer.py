"""The analyzer: known names in a question."""

from __future__ import annotations

import attrs

from comis_core.model import Query
from comis_core.protocols import BuildContext, ScopeView
from comis_plugins.entities.known import mentioned
from comis_plugins.entities.scanning import plain


def build(context: BuildContext) -> EntityAnalyzer:
    """The analyzer; it keeps nothing."""
    return EntityAnalyzer()


class EntityAnalyzer:
    """Finds the scope's entities in a question, by any of their names."""

    def analyze(self, query: Query, scope_view: ScopeView, now: int) -> Query:
        """The query with the canonical names (folded) of what it mentions, after those that it had already."""
        known = scope_view.entities
        if not known:
            return query
        found = (known[key] for key, _ in mentioned(plain(query.text), known.__contains__, asking=True))
        return attrs.evolve(query, entities=tuple(dict.fromkeys((*query.entities, *found))))
