"""The straight walk through the stages inside one snapshot: search, fuse, expand and fuse again, rerank, score, trust,
conflict, dedup, diversity, budget. No stage calls back; every part is called through the guard.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

import attrs
import numpy as np

from comis_core.model import Filters, Item, Pool, Query, Ranking
from comis_core.protocols import SearchRequest
from comis_core.recall.asked import Asked
from comis_core.recall.budget import Spent, misfit_note, misfits, spend
from comis_core.recall.candidates import Candidates
from comis_core.recall.checks import locked
from comis_core.recall.columns import Hydration, id_text
from comis_core.recall.conflict import Conflicts, find_conflicts, winners_first
from comis_core.recall.copies import with_copies_as_proof
from comis_core.recall.dedup import Folding, dedup, reach
from comis_core.recall.diversity import diversify
from comis_core.recall.expand import Expansion, expand
from comis_core.recall.fuse import Fused, above_floor, effective_weights, fuse
from comis_core.recall.guard import Guard
from comis_core.recall.lanes import search_lanes
from comis_core.recall.measure import HEADING_LENGTH, sizes
from comis_core.recall.parts import Pipeline
from comis_core.recall.reader import Reader
from comis_core.recall.render import EXPLANATIONS
from comis_core.recall.rerank import rerank
from comis_core.recall.score import ranked, score
from comis_core.recall.succession import SOURCE, with_successors
from comis_core.recall.trace import Admission, Choice, Journal
from comis_core.recall.trust import trusted


@attrs.frozen(eq=False, repr=False)
class Walk:
    """One recall on its way. `items` walks it; each method is one stage or two that belong together."""

    pipeline: Pipeline
    reader: Reader
    asked: Asked
    query: Query
    filters: Filters
    guard: Guard
    journal: Journal

    def items(self) -> tuple[Item, ...]:
        """The answer, best first."""
        hydration = Hydration.of(self.pipeline, self.reader, self.guard)
        rankings, fused = self._find(hydration)
        if not len(fused.ids):
            return ()
        admitted = self._admit(self._succeeded(fused, hydration), hydration)
        return self._best(rankings, admitted) if len(admitted) else ()

    def _best(self, rankings: dict[str, Ranking], admitted: Candidates) -> tuple[Item, ...]:
        judged = self._judge(rankings, admitted)
        pool = self._trusted(judged)
        by_score, settled, conflicts = self._settle(pool)
        folding = self._fold(pool, settled, conflicts)
        among_leaders = folding.conflicts_among_leaders()
        diverse = self._diversify(pool, folding.leaders, among_leaders)
        spent = self._spend(pool, diverse, among_leaders)
        self.journal.choice = Choice(
            removed=judged.ids[:0] if pool is judged else np.setdiff1d(judged.ids, pool.ids, assume_unique=True),
            pool=pool.with_columns("length"),
            by_score=by_score,
            after_conflict=settled,
            conflicts=among_leaders,
            folding=folding,
            after_diversity=diverse,
            spent=spent,
        )
        return self._answer(pool, spent.taken, folding, among_leaders)

    def _find(self, hydration: Hydration) -> tuple[dict[str, Ranking], Fused]:
        request = SearchRequest(
            query=self.query,
            now=self.asked.now,
            snapshot=self.reader,
            scope_view=self.reader.scope_view(),
            limit=self.asked.candidates,
            cancelled=self.guard.expired,
        )
        rankings = search_lanes(self.pipeline.lanes, request, hydration, self.guard)
        weights = effective_weights(self.pipeline, self.query, rankings)
        self.journal.lap("search", found={name: len(ranking) for name, ranking in rankings.items()})
        fused = fuse(self.pipeline.fusion, rankings, weights, self.guard)
        self.journal.lap("fuse", candidates=len(fused.ids))
        if self.pipeline.expanders:
            expansion = Expansion(asked=request, weights=weights, hydration=hydration, guard=self.guard)
            found = len(rankings)
            rankings = expand(self.pipeline, fused, rankings, expansion)
            if len(rankings) > found:
                fused = fuse(self.pipeline.fusion, rankings, weights, self.guard)
            self.journal.lap("expand", candidates=len(fused.ids))
        self.journal.searched(rankings, weights)
        return rankings, fused

    def _succeeded(self, fused: Fused, hydration: Hydration) -> Fused:
        """The candidates and what replaces them."""
        if not self.pipeline.settings.conflicts:
            return fused
        grown = with_successors(fused, self.asked.limits.min_score, self.reader)
        if grown is not fused:
            # They are in sight, or the reader would not know of them; this reads their rows.
            hydration.hidden(grown.ids)
        return grown

    def _admit(self, fused: Fused, hydration: Hydration) -> Candidates:
        """Who reaches minScore. Those who do not are hydrated too: the trace names them."""
        kept = above_floor(fused, self.asked.limits.min_score, self.guard)
        columns = hydration.load(fused.ids)
        self.journal.admission = Admission(fused=fused, known_as=columns["id"], kept=kept)
        everyone = Candidates.fresh(fused.ids, columns, fused.scores)
        self.journal.lap("floor", hidden=len(kept) - int(np.count_nonzero(kept)))
        return everyone.only(kept)

    def _judge(self, rankings: dict[str, Ranking], candidates: Candidates) -> Candidates:
        """Rerank and score."""
        ids, columns, fused = candidates.ids, candidates.columns, candidates.fused
        reranked = rerank(self.pipeline.reranker, self.query, ids, fused, columns, self.reader, self.guard)
        self.journal.lap("rerank", judged=int(np.count_nonzero(reranked.head)))
        seen = MappingProxyType(with_copies_as_proof(columns))
        pool = Pool(locked(ids), locked(fused), seen, MappingProxyType(rankings))
        scored = score(self.pipeline.scorers, self.query, self.asked.now, pool, reranked.base, self.guard)
        self.journal.lap("score", factors=len(scored.factors))
        return candidates.judged(reranked.base, reranked.head, scored.factors, scored.final)

    def _trusted(self, candidates: Candidates) -> Candidates:
        allowed = trusted(candidates.columns, self.filters)
        self.journal.lap("trust", removed=len(allowed) - int(np.count_nonzero(allowed)))
        return candidates.only(allowed)

    def _settle(self, pool: Candidates) -> tuple[list[int], list[int], Conflicts]:
        """The order by score, the order after conflicts, and the conflicts."""
        judged = pool.head if self.pipeline.reranker else None
        by_score = ranked(pool.ids, pool.columns, pool.final, judged).tolist()
        settings = self.pipeline.settings
        conflicts = Conflicts()
        if settings.conflicts:
            conflicts = find_conflicts(pool.ids, pool.columns, settings.functional_predicates, self.reader)
        settled = winners_first(by_score, conflicts)
        self.journal.lap("conflict", superseded=len(conflicts.winners))
        return by_score, settled, conflicts

    def _fold(self, pool: Candidates, order: Sequence[int], conflicts: Conflicts) -> Folding:
        folding = dedup(
            order,
            pool.columns,
            conflicts,
            lambda places: self.guard.supervisor.words.of(pool.ids[list(places)].tolist(), self._contents),
            threshold=self.pipeline.settings.dedup_similarity,
            reach=reach(self.asked.limits.max_results),
        )
        self.journal.lap("dedup", folded=len(order) - len(folding.leaders))
        return folding

    def _diversify(self, pool: Candidates, order: Sequence[int], conflicts: Conflicts) -> Sequence[int]:
        """The order after the diversifier; winners stay above their rivals whatever it says."""
        diversifier = self.pipeline.diversifier
        if self.asked.kind != "recall" or diversifier is None or len(order) < 2:
            return order
        chosen = diversify(
            diversifier,
            order,
            pool.ids,
            pool.final,
            lambda places: self.guard.supervisor.stems.of(pool.ids[list(places)].tolist(), self._contents),
            self.reader,
            self.guard,
        )
        self.journal.lap("diversity", candidates=len(chosen))
        return winners_first(chosen, conflicts)

    def _spend(self, pool: Candidates, order: Sequence[int], conflicts: Conflicts) -> Spent:
        limits = {
            "max_results": self.asked.limits.max_results,
            "max_context_chars": self.asked.limits.max_context_chars,
        }
        size = sizes(
            order,
            pool.columns,
            conflicts.winners,
            lambda places: self._contents(pool.ids[list(places)].tolist()),
            roles=self.pipeline.settings.roles,
            **limits,
        )
        spent = spend(order, size, heading=HEADING_LENGTH, shared=EXPLANATIONS, **limits)
        self._tell_misfits(pool, misfits(spent, order, limits["max_results"]))
        self.journal.lap("budget", taken=len(spent.taken))
        return spent

    def _tell_misfits(self, pool: Candidates, places: Sequence[int]) -> None:
        if not places:
            return
        known_as, lengths = pool.columns["id"], pool.columns["length"]
        skipped = [(id_text(known_as[place]), int(lengths[place])) for place in places]
        self.guard.notes.append(misfit_note(skipped, self.asked.limits.max_context_chars))

    def _answer(
        self, pool: Candidates, taken: Sequence[int], folding: Folding, conflicts: Conflicts
    ) -> tuple[Item, ...]:
        ids = pool.ids[list(taken)]
        known_as = pool.columns["id"]
        found = zip(taken, self.reader.memories(ids), self.journal.sources(ids.tolist()), strict=True)
        items = []
        for place, memory, sources in found:
            winners = conflicts.winners.get(place)
            item = Item(
                memory=memory,
                score=float(pool.final[place]),
                base=float(pool.base[place]),
                factors={name: float(values[place]) for name, values in pool.factors.items()},
                sources=sources or SOURCE,
                folded=tuple(id_text(known_as[copy]) for copy in folding.copies(place)),
                superseded_by=id_text(known_as[winners[0]]) if winners else None,
            )
            items.append(item)
        self.journal.lap("answer", items=len(items))
        return tuple(items)

    def _contents(self, ids: Sequence[int]) -> Sequence[str]:
        return self.reader.texts(np.array(ids, np.int64))
