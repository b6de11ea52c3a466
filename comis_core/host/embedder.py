"""Which embedder an agent has: the one that its model's name belongs to, else the first that is there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import attrs

from comis_core.config import AgentOptions, Config, RecallModelOptions
from comis_core.config import did_you_mean as nearest_word
from comis_core.errors import ComisError, ConfigError
from comis_core.host.building import Builder, bind, is_enabled, label
from comis_core.host.guard import guarded, one_line
from comis_core.host.registry import Registry
from comis_core.model import Degraded
from comis_core.protocols import BuildContext, Embedder
from comis_core.recall.parts import Bound
from comis_core.specs import EmbedderSpec

AUTO = "auto"
NONE = "none"
KEY = "memory.recall.embeddingModel"


@attrs.frozen(kw_only=True, eq=False, repr=False)
class EmbedderChoice:
    """An agent's embedder, or why it has none. `close` closes it; twice is harmless."""

    embedder: Bound[Embedder] | None
    degraded: tuple[Degraded, ...]
    notes: tuple[str, ...]
    close: Callable[[], None]


def build_embedder(registry: Registry, config: Config, agent: str, context: BuildContext) -> EmbedderChoice:
    """Build the embedder that an agent's config asks for.

    `agents.<name>.embedding` counts, else `memory.recall.embeddingModel` where something has set it, else "auto": the
    first embedder by (order, name) that can be built and is available. "none" is none.

    Returns:
        The choice. Nothing to embed with under "auto" is a note; a model that was asked for and cannot be used is
        degraded.

    Raises:
        ConfigError: no embedder knows the model.
        PluginError: something failed under `plugins.strict`.
    """
    model, origin = configured_model(config, agent)
    builder = Builder(context=context)
    chooser = _Chooser(registry, config, agent, builder)
    try:
        if model == NONE:
            chosen = None
            builder.notes.append(f"no embedder: {origin} says none")
        else:
            chosen = chooser.automatic() if model == AUTO else chooser.named(model, origin)
        builder.finish(strict=registry.strict)
    except BaseException:
        builder.close()
        raise
    return EmbedderChoice(
        embedder=chosen, degraded=tuple(builder.degraded), notes=tuple(builder.notes), close=builder.close
    )


def configured_model(config: Config, agent: str) -> tuple[str, str]:
    """The model's name, "auto" or "none", and where it was said. The documented hosted default is not a choice."""
    own = config.core(AgentOptions, agent).embedding
    if own is not None:
        return own, f"{config.origin('embedding', agent)}: agents.{agent}.embedding"
    origin = config.origin(KEY)
    if origin == "default":
        return AUTO, "default"
    return config.core(RecallModelOptions).embedding_model, f"{origin}: {KEY}"


@attrs.frozen(eq=False, repr=False)
class _Chooser:
    """Looks for one agent's embedder."""

    registry: Registry
    config: Config
    agent: str
    builder: Builder

    def automatic(self) -> Bound[Embedder] | None:
        """The first that is there; the reasons of the others matter only if none is."""
        reasons: list[str] = []
        for spec, options in self._enabled():
            known = len(self.builder.notes)
            bound = self._built(spec, options, None)
            available = bound is not None and self._available(spec, bound.part)
            if available:
                return bound
            if bound is not None and available is False:
                reasons.append(f"{label(spec)}: not available")
            reasons += self.builder.notes[known:]
            del self.builder.notes[known:]
        self.builder.notes.append(f"no embedder{': ' if reasons else ' is installed'}{'; '.join(reasons)}")
        return None

    def named(self, model: str, origin: str) -> Bound[Embedder] | None:
        """The embedder whose model it is."""
        for spec, options in self._enabled():
            if self._claims(spec, model):
                return self._claimed(spec, options, model)
        raise ConfigError(
            f"{origin}: no embedder knows the model {model!r}{self._guess(model)} (known: {self._known()})",
            hint="install an extra of comis-core that brings one, enable a plugin, or write auto or none",
        )

    def _claimed(self, spec: EmbedderSpec, options: list[Any], model: str) -> Bound[Embedder] | None:
        """The embedder of a model that was asked for, which must not vanish into a note."""
        bound = self._built(spec, options, model)
        if bound is None:
            if (spec.stage, spec.name) in self.builder.inactive:
                self.builder.fail(spec, f"its model {model!r} cannot be used: {self.builder.notes.pop()}")
            return None
        available = self._available(spec, bound.part)
        if available is False:
            self.builder.fail(spec, f"its model {model!r} is not available")
        return bound if available else None

    def _enabled(self) -> Iterator[tuple[EmbedderSpec, list[Any]]]:
        for spec in self.registry.specs(EmbedderSpec):
            options = [self.config.options(section, self.agent) for section in spec.sections]
            if is_enabled(options):
                yield spec, options

    def _built(self, spec: EmbedderSpec, options: list[Any], model: str | None) -> Bound[Embedder] | None:
        part = self.builder.build(spec, options, model)
        return None if part is None else bind(spec, part, options)

    def _claims(self, spec: EmbedderSpec, model: str) -> bool:
        try:
            return bool(guarded(spec.claims, model))
        except ComisError as error:
            self.builder.fail(spec, f"claims({model!r}) raised {one_line(str(error))}")
            return False

    def _available(self, spec: EmbedderSpec, embedder: Embedder) -> bool | None:
        """Whether it is there; None when it failed to say."""
        try:
            return bool(guarded(embedder.available))
        except ComisError as error:
            self.builder.fail(spec, f"available() raised {one_line(str(error))}")
            return None

    def _known(self) -> str:
        known = [
            f"{self._word(spec) or spec.name}{f' ({spec.help})' if spec.help else ''}"
            for spec in self.registry.specs(EmbedderSpec)
        ]
        return ", ".join(known) or "none"

    def _guess(self, model: str) -> str:
        """What may have been meant: the word of an embedder that is called nearly so."""
        words: dict[str, str] = {}
        for spec in self.registry.specs(EmbedderSpec):
            if word := self._word(spec):
                words |= {spec.name: word, word: word}
        nearest = nearest_word(model, words)
        return f"; did you mean {words[nearest]!r}?" if nearest else ""

    def _word(self, spec: EmbedderSpec) -> str:
        """The end of an embedder's name that it takes for a model: static of embed_static; empty if it takes none."""
        words = spec.name.split("_")
        ends = ("_".join(words[start:]) for start in range(len(words)))
        return next((end for end in ends if self._claims(spec, end)), "")
