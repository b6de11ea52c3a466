"""What hooks return: frozen records that say what a part is called, where its options live and how to build it.

Conventions every spec shares: `name` is what config and traces call the part; `sections` say where its options live;
`build(context, *options)` makes the part, with one options object a section in the same order. The first section's
options may have `enabled` (bool) and `weight` (float): `enabled: false` leaves the part out of the pipeline, weight 0
keeps it in but silent.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, ClassVar, Literal, cast

import attrs

from comis_core.errors import PluginError, shown
from comis_core.model.shown import Compared, Shown
from comis_core.protocols import (
    Analyzer,
    Column,
    Diversifier,
    Embedder,
    Expander,
    Extractor,
    Fusion,
    Index,
    Job,
    Lane,
    LanguageModel,
    Observer,
    OutcomeResolver,
    Reranker,
    Scorer,
    Transaction,
    Validator,
)

API_VERSION = 1
"""Version of the contract between core and plugins."""

Level = Literal["agent", "engine"]


@attrs.frozen(repr=False)
class Section(Shown):
    """Where a part's options live in the config.

    path: documented camelCase path without its head: "rag.lanes.fts" under `agents.<name>` for level "agent",
    "recall" under `memory` for level "engine". options_class: an attrs class; snake_case attributes are camelCase
    keys, every attribute needs a default, `metadata={"help": ...}` becomes the documentation; "parts" in it, a tuple of
    stages, says that the value names parts of these, and the config refuses names that no plugin offers. Several
    sections may share a path as long as no key has two owners.
    """

    path: str
    options_class: type[Any]
    level: Level = "agent"


@attrs.frozen(eq=False, repr=False)
class Migration(Compared):
    """One step of a plugin's own tables: `apply` is SQL (one or more statements) or a callable on the transaction."""

    name: str
    apply: str | Callable[[Transaction], None]


@attrs.frozen(kw_only=True, repr=False)
class PluginInfo(Shown):
    """Where a spec came from; stamped by the host."""

    name: str
    distribution: str
    version: str
    module: str = ""

    def __str__(self) -> str:
        return f"plugin {self.name!r} ({self.distribution} {self.version})"


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Spec(Compared):
    """What every spec has."""

    part: ClassVar[type[Any]] = object
    """The protocol that a built part must satisfy."""
    stage: ClassVar[str] = ""
    """How traces and `comis plugins` call this kind of part."""

    name: str
    build: Callable[..., Any]
    sections: tuple[Section, ...] = ()
    order: int = 100
    """Parts of one stage run by (order, name)."""
    api: int = API_VERSION
    migrations: tuple[Migration, ...] = ()
    """Tables of the part's own, named with the plugin's name as prefix."""
    help: str = ""
    plugin: PluginInfo | None = None


@attrs.frozen(kw_only=True, eq=False, repr=False)
class LaneSpec(Spec):
    """A retrieval lane. weight: its default weight where the options have none.

    Options `enabled`, `weight` and `stands_in_for`, the name of a lane, are the core's to obey: with the latter the
    lane is asked only when that one is not in the pipeline or failed.
    """

    part = Lane
    stage = "lane"
    weight: float = 1.0


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ExpanderSpec(Spec):
    """An expander."""

    part = Expander
    stage = "expander"
    weight: float = 1.0


@attrs.frozen(kw_only=True, eq=False, repr=False)
class FusionSpec(Spec):
    """A fusion; one is active (`rag.fusion.method`)."""

    part = Fusion
    stage = "fusion"
    default: bool = False


class ColumnSpec(Spec):
    """A named column of the pool; loaded only when an enabled part requires it."""

    __slots__ = ()

    part = Column
    stage = "column"


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ScorerSpec(Spec):
    """A factor. Core columns are always there.

    requires: plugin columns without which it is left out. uses: plugin columns that it can do without; NaN where no
    enabled plugin offers them.
    """

    part = Scorer
    stage = "scorer"
    requires: tuple[str, ...] = ()
    uses: tuple[str, ...] = ()


class RerankerSpec(Spec):
    """A reranker; the first enabled one by (order, name) is used. It runs in a worker under a time limit of its own."""

    __slots__ = ()

    part = Reranker
    stage = "reranker"


class DiversifierSpec(Spec):
    """A diversifier; the first enabled one by (order, name) is used."""

    __slots__ = ()

    part = Diversifier
    stage = "diversifier"


class AnalyzerSpec(Spec):
    """A query analyzer; all enabled ones run in order."""

    __slots__ = ()

    part = Analyzer
    stage = "analyzer"


@attrs.frozen(kw_only=True, eq=False, repr=False)
class IndexSpec(Spec):
    """A derived table, built once an engine.

    serves: names of lanes and other parts that read it; it is kept up while any agent's pipeline enables one of them.
    version: changes when the derived rows would look different for the same text; the table is then rebuilt.
    """

    part = Index
    stage = "index"
    serves: tuple[str, ...] = ()
    version: str | Callable[..., str] = "1"


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ExtractorSpec(Spec):
    """An extractor of annotations at write time. serves: as for IndexSpec; empty = always on."""

    part = Extractor
    stage = "extractor"
    serves: tuple[str, ...] = ()


@attrs.frozen(kw_only=True, eq=False, repr=False)
class EmbedderSpec(Spec):
    """An embedder. `auto` takes the first available one by (order, name).

    claims(model) says whether a configured model name (`memory.recall.embeddingModel`, `agents.<name>.embedding`)
    is this embedder's. build(context, model, *options) gets that name, or None under `auto`; it raises PartInactive
    when there is nothing to embed with.
    """

    part = Embedder
    stage = "embedder"
    claims: Callable[[str], bool] = lambda model: False


class LanguageModelSpec(Spec):
    """A language model provider (`memory.languageModel.provider`)."""

    __slots__ = ()

    part = LanguageModel
    stage = "language_model"


@attrs.frozen(kw_only=True, eq=False, repr=False)
class OutcomeResolverSpec(Spec):
    """An outcome resolver. tier: 0 deterministic, 1 judge, 2 conversational; higher tiers speak last."""

    part = OutcomeResolver
    stage = "outcome_resolver"
    tier: int = 2
    needs_verdict: bool = False


class ValidatorSpec(Spec):
    """A validator."""

    __slots__ = ()

    part = Validator
    stage = "validator"


@attrs.frozen(kw_only=True, eq=False, repr=False)
class JobSpec(Spec):
    """A background job. schedule: default cron expression, overridden by `schedule` in the first section."""

    part = Job
    stage = "job"
    schedule: str = "0 3 * * *"


class ObserverSpec(Spec):
    """An observer of turns, outcomes and events."""

    __slots__ = ()

    part = Observer
    stage = "observer"


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Preset(Compared):
    """A named overlay of config: a whole pipeline published as data. It can neither import nor enable a plugin.

    agent: overlay of `agents.<name>`; engine: overlay of `memory`; both in documented camelCase keys.
    """

    name: str
    agent: Mapping[str, Any] = attrs.field(factory=dict)
    engine: Mapping[str, Any] = attrs.field(factory=dict)
    help: str = ""
    plugin: PluginInfo | None = None
    stage: ClassVar[str] = "preset"


@attrs.frozen(eq=False, repr=False)
class OnDemand(Compared):
    """A `build` that is known by name: calling it imports the module and calls what the module has of that name.

    target: "package.module:function".
    """

    target: str = attrs.field()

    @target.validator
    def _names_a_function(self, _: object, target: object) -> None:
        module, colon, name = target.partition(":") if isinstance(target, str) else ("", "", "")
        if not (colon and name.isidentifier() and all(part.isidentifier() for part in module.split("."))):
            raise PluginError(
                f"on_demand({shown(target)}) names no function of a module",
                hint="write 'package.module:function'",
            )

    def resolve(self) -> Callable[..., Any]:
        """Import the module and look its function up; nothing is called.

        Raises PluginError when the module has nothing of that name that can be called, and what the import raises.
        """
        module, _, name = self.target.partition(":")
        found = getattr(import_module(module), name, None)
        if not callable(found):
            raise PluginError(f"the module {module} has no function {name!r}")
        return cast("Callable[..., Any]", found)

    def __call__(self, *arguments: object) -> Any:
        """What the function makes of the arguments."""
        return self.resolve()(*arguments)


def on_demand(target: str) -> OnDemand:
    """A `build` whose module is imported when a part is first built: one that is switched off costs no import.

    Until then a fault of that module is unknown; `comis doctor --isolate` imports it without building anything.

    Args:
        target: "package.module:function".

    Raises:
        PluginError: the target has another form.
    """
    return OnDemand(target)


HOOKS: Mapping[str, type[Any]] = types.MappingProxyType({
    "comis_lanes": LaneSpec,
    "comis_expanders": ExpanderSpec,
    "comis_fusions": FusionSpec,
    "comis_columns": ColumnSpec,
    "comis_scorers": ScorerSpec,
    "comis_rerankers": RerankerSpec,
    "comis_diversifiers": DiversifierSpec,
    "comis_analyzers": AnalyzerSpec,
    "comis_indexes": IndexSpec,
    "comis_extractors": ExtractorSpec,
    "comis_embedders": EmbedderSpec,
    "comis_language_models": LanguageModelSpec,
    "comis_outcome_resolvers": OutcomeResolverSpec,
    "comis_validators": ValidatorSpec,
    "comis_jobs": JobSpec,
    "comis_observers": ObserverSpec,
    "comis_presets": Preset,
})
"""Every hook and the type of spec it returns."""

__all__ = [
    "API_VERSION",
    "HOOKS",
    "AnalyzerSpec",
    "ColumnSpec",
    "DiversifierSpec",
    "EmbedderSpec",
    "ExpanderSpec",
    "ExtractorSpec",
    "FusionSpec",
    "IndexSpec",
    "JobSpec",
    "LaneSpec",
    "LanguageModelSpec",
    "Level",
    "Migration",
    "ObserverSpec",
    "OnDemand",
    "OutcomeResolverSpec",
    "PluginInfo",
    "Preset",
    "RerankerSpec",
    "ScorerSpec",
    "Section",
    "Spec",
    "ValidatorSpec",
    "on_demand",
]
