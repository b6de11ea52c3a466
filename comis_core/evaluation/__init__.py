"""How good is a recall: data in one neutral form, metrics, paired comparisons. The engine behind `comis eval`."""

from comis_core.evaluation.compare import Comparison, compare
from comis_core.evaluation.data import Case, Question
from comis_core.evaluation.metrics import Scores, score_ranking
from comis_core.evaluation.reading import find_cases
from comis_core.evaluation.runner import Answer, Run, Variant, run_variant

__all__ = [
    "Answer",
    "Case",
    "Comparison",
    "Question",
    "Run",
    "Scores",
    "Variant",
    "compare",
    "find_cases",
    "run_variant",
    "score_ranking",
]
