"""Plugin `proof`: what was said more than once counts a little more."""

from __future__ import annotations

from collections.abc import Iterable

from comis_core import hookimpl
from comis_core.specs import ScorerSpec, Section


@hookimpl
def comis_scorers() -> Iterable[ScorerSpec]:
    """The factor `proof`."""
    from comis_plugins.proof.options import ProofOptions
    from comis_plugins.proof.scorer import build

    yield ScorerSpec(
        name="proof",
        build=build,
        sections=(Section("rag.scoring", ProofOptions),),
        order=30,
        help="1 + proofAlpha (corroboration - 1/2) x confidence x decay",
    )
