"""Plugin `forget`: what is old and unimportant fades."""

from __future__ import annotations

from collections.abc import Iterable

from comis_core import hookimpl
from comis_core.specs import ScorerSpec, Section


@hookimpl
def comis_scorers() -> Iterable[ScorerSpec]:
    """The factor `forget`."""
    from comis_plugins.forget.options import ForgetOptions, ForgetScoringOptions
    from comis_plugins.forget.scorer import build

    yield ScorerSpec(
        name="forget",
        build=build,
        sections=(Section("rag.forget", ForgetOptions), Section("rag.scoring", ForgetScoringOptions)),
        order=60,
        uses=("usefulness",),
        help="1 + forgetAlpha (fade - 1), fade = 1/2 + 1/2 exp(-lambda age^beta)",
    )
