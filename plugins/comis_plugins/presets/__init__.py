"""Plugin `presets`: the two presets that come with the package."""

from __future__ import annotations

from collections.abc import Iterable

from comis_core import hookimpl
from comis_core.specs import Preset


@hookimpl
def comis_presets() -> Iterable[Preset]:
    """`comis`, the documented defaults, and `tuned`, what measures best on public conversations and passages."""
    from comis_plugins.presets.tuned import TUNED

    yield Preset(name="comis", help="the documented defaults, nothing added")
    yield Preset(name="tuned", agent=TUNED, help="what measures best on public evaluation sets; a good start")
