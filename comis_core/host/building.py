"""Building parts from specs, one by one: what cannot be built is named and left out, and what was built gets closed."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any, TypeVar

import attrs

from comis_core.errors import ComisError, ContractError, PartInactive
from comis_core.host.guard import describe, guarded, one_line
from comis_core.host.manager import refuse_failures
from comis_core.model import Degraded
from comis_core.protocols import BuildContext
from comis_core.recall.parts import Bound
from comis_core.specs import Spec

P = TypeVar("P")

log = logging.getLogger(__name__)


@attrs.define(kw_only=True, eq=False, repr=False)
class Builder:
    """Builds the parts of one pipeline or engine and remembers what went wrong.

    degraded: parts that failed. notes: parts that have nothing to work with. inactive: (stage, name) of the latter.
    Close it when the parts are no longer used; closing twice is harmless.
    """

    context: BuildContext
    degraded: list[Degraded] = attrs.field(factory=list)
    notes: list[str] = attrs.field(factory=list)
    inactive: set[tuple[str, str]] = attrs.field(factory=set, init=False)
    _parts: list[object] = attrs.field(factory=list, init=False)

    def build(self, spec: Spec, options: Sequence[object], *leading: object) -> Any | None:
        """The spec's part, or None when it failed or is inactive.

        Args:
            spec: what to build.
            options: one object a section of the spec.
            leading: what `build` takes between the context and the options (the model's name of an embedder).
        """
        try:
            part = guarded(spec.build, self.context, *leading, *options)
            self._parts.append(part)
            check_part(part, spec)
        except PartInactive as inactive:
            self.note(spec, "" if inactive.quiet else one_line(str(inactive)))
        except ComisError as error:
            self.fail(spec, one_line(str(error)))
        else:
            return part
        return None

    def note(self, spec: Spec, words: str) -> None:
        """Note that a spec's part has nothing to work with; without words only that it is inactive."""
        self.inactive.add((spec.stage, spec.name))
        if words:
            self.notes.append(f"{label(spec)}: {words}")

    def fail(self, spec: Spec, reason: str) -> None:
        """Note that a spec's part is left out."""
        failure = Degraded(plugin=str(spec.plugin), stage=spec.stage, reason=f"{spec.name!r} is left out: {reason}")
        log.warning("%s", failure)
        self.degraded.append(failure)

    def finish(self, *, strict: bool, since: int = 0) -> None:
        """Raise PluginError if parts failed under `plugins.strict`; `since`: how many failures were known before."""
        if strict:
            refuse_failures(self.degraded[since:])

    def close(self) -> None:
        """Close what was built, last first; one part that several specs share is closed once."""
        parts, self._parts = self._parts, []
        for part in {id(part): part for part in reversed(parts)}.values():
            close_part(part)


def check_part(part: object, spec: Spec) -> None:
    """Raise ContractError unless the built part has what its protocol asks for."""
    if not guarded(isinstance, part, spec.part):
        raise ContractError(f"build returned {type(part).__name__}, which is no {spec.part.__name__}")


def close_part(part: object) -> None:
    """Call the part's `close`, if it has one; nobody waits for the outcome, so a failure is only logged."""
    close = getattr(part, "close", None)
    if not callable(close):
        return
    try:
        guarded(close)
    except ComisError as error:
        log.warning("closing %s failed: %s", type(part).__name__, describe(error))


def label(spec: Spec) -> str:
    """How messages call a part: "lane 'fts'"."""
    return f"{spec.stage.replace('_', ' ')} {spec.name!r}"


def is_enabled(options: Sequence[object]) -> bool:
    """Whether the first options object leaves the part in; None leaves the decision to `build`."""
    return not options or getattr(options[0], "enabled", True) is not False


def stands_in_for(options: Sequence[object]) -> str:
    """The lane that another with these options stands in for; "" where it does for none."""
    return str(getattr(options[0], "stands_in_for", "")) if options else ""


def weight_of(spec: Spec, options: Sequence[object]) -> float:
    """The weight that the first options object or else the spec gives."""
    weight = getattr(options[0], "weight", None) if options else None
    return float(getattr(spec, "weight", 1.0) if weight is None else weight)


def bind(spec: Spec, part: Any, options: Sequence[object]) -> Bound[Any]:
    """The part under its name, with its weight."""
    return Bound(
        name=spec.name,
        plugin=str(spec.plugin),
        part=part,
        weight=weight_of(spec, options),
        stands_in_for=stands_in_for(options),
        order=spec.order,
        requires=(*getattr(spec, "requires", ()), *getattr(spec, "uses", ())),
    )
