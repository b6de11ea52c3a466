"""How useful a memory has been: counters by memory and intent, the smoothed rate, and the factor made of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np

from comis_core.protocols import BuildContext, ScoreRequest, Snapshot
from comis_core.specs import Migration
from comis_plugins.feedback.options import FeedbackOptions, FeedbackScoringOptions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comis_core.model import Ids, Scores

# Counters hang on the memory's id, so that they outlive its versions and go with the last of them.
MIGRATION = Migration(
    "0001_counters",
    """
    CREATE TABLE feedback_uses(
      id BLOB NOT NULL, intent TEXT NOT NULL, shown INTEGER NOT NULL, used INTEGER NOT NULL,
      PRIMARY KEY(id, intent)) WITHOUT ROWID;
    CREATE TABLE feedback_turns(turn BLOB PRIMARY KEY) WITHOUT ROWID;
    CREATE TRIGGER feedback_gone AFTER DELETE ON memories
    WHEN NOT EXISTS (SELECT 1 FROM memories WHERE id = OLD.id) BEGIN
      DELETE FROM feedback_uses WHERE id = OLD.id;
    END;
    """,
)

PRIOR_USED = 2.0
PRIOR_IGNORED = 2.0
"""A Beta(2, 2) prior: one lucky use moves the rate from 1/2 to 3/5 and not to 1."""

_COUNTS = """
SELECT v.pk, sum(u.shown), sum(u.used) FROM json_each(?) AS wanted
CROSS JOIN visible AS v ON v.pk = wanted.value CROSS JOIN feedback_uses AS u ON u.id = v.id GROUP BY v.pk"""
_ANY = "SELECT 1 FROM feedback_uses LIMIT 1"


class Usefulness:
    """The column `usefulness`: (used + 2) / (shown + 4) over all intents; NaN for a memory that was never shown.

    NaN as well in a recall that looks back in record time: the counters have no times, and an answer about a past
    moment may not change by the turns that are reported after it.
    """

    def load(self, snapshot: Snapshot, ids: Ids) -> NDArray[Any]:
        """float64[len(ids)] in 0..1."""
        if snapshot.historic or not any(snapshot.execute(_ANY)):
            return np.full(len(ids), np.nan)
        found = {
            pk: (used + PRIOR_USED) / (shown + PRIOR_USED + PRIOR_IGNORED)
            for pk, shown, used in snapshot.execute(_COUNTS, (json.dumps(ids.tolist()),))
        }
        return np.array([found.get(pk, np.nan) for pk in ids.tolist()], np.float64)


@attrs.frozen(eq=False, repr=False)
class UsefulnessFactor:
    """1 + alpha (rate - 1/2), exactly 1 where there is no rate. alpha: 0..1."""

    alpha: float

    def factors(self, request: ScoreRequest) -> Scores:
        """float64[n], between 1 - alpha/2 and 1 + alpha/2."""
        rate = request.pool.columns["usefulness"]
        return np.where(np.isnan(rate), 1.0, 1.0 + self.alpha * (rate - 0.5))


def build_column(context: BuildContext, options: FeedbackOptions) -> Usefulness:
    """The column."""
    return Usefulness()


def build_scorer(context: BuildContext, options: FeedbackOptions, scoring: FeedbackScoringOptions) -> UsefulnessFactor:
    """The factor as configured."""
    return UsefulnessFactor(scoring.usefulness_alpha)
