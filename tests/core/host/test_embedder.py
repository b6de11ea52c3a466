"""Choosing an agent's embedder."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from typing import Any

import attrs
import pytest

from comis_core import hookimpl
from comis_core.config import read, structure
from comis_core.errors import ConfigError, PartInactive, PluginError
from comis_core.host import EmbedderChoice, Host, build_embedder
from comis_core.specs import EmbedderSpec, Preset, Section

pytestmark = pytest.mark.usefixtures("bare")


@attrs.define
class Embedder:
    """An embedder that remembers what it was built for."""

    model: str | None = None
    there: bool | Exception = True
    fingerprint: str = "x"
    dimensions: int = 4
    closed: int = 0

    def embed(self, texts: Any, kind: str) -> Any:
        raise AssertionError("choosing must not embed")

    def windows(self, text: str) -> list[str]:
        return [text]

    def confidence(self, text: str) -> float:
        return 1.0

    def available(self) -> bool:
        if isinstance(self.there, Exception):
            raise self.there
        return self.there

    def close(self) -> None:
        self.closed += 1


@attrs.frozen
class Options:
    """A switch."""

    enabled: bool = attrs.field(default=True, metadata={"help": "Whether to use it."})


def spec(
    name: str, order: int = 100, *, there: bool | Exception = True, claims: Any = None, **more: Any
) -> EmbedderSpec:
    """An embedder that claims models which begin with its name."""

    def build(context: Any, model: str | None, *options: Any) -> Embedder:
        return Embedder(model, there)

    fields: dict[str, Any] = {
        "build": build,
        "claims": claims or (lambda model: model.startswith(name)),
        "order": order,
    }
    return EmbedderSpec(name=name, **(fields | more))


def raising(error: Exception) -> Callable[..., Any]:
    """A build that fails."""

    def build(context: Any, model: str | None, *options: Any) -> Any:
        raise error

    return build


def choose(
    *specs: EmbedderSpec,
    memory: Mapping[str, Any] | None = None,
    agent: Mapping[str, Any] | None = None,
    presets: tuple[Preset, ...] = (),
    strict: bool = False,
) -> EmbedderChoice:
    """The choice for agent `helper`."""
    plugin = types.SimpleNamespace(comis_embedders=hookimpl(lambda: specs), comis_presets=hookimpl(lambda: presets))
    registry = Host(extra={"mine": plugin}, strict=strict).load()
    source = {"memory": dict(memory or {}), "agents": {"helper": dict(agent or {})}}
    config = structure(read(source), registry.schema(), registry.presets)
    return build_embedder(registry, config, "helper", types.SimpleNamespace())


def name_of(choice: EmbedderChoice) -> str | None:
    """The chosen spec's name."""
    return None if choice.embedder is None else choice.embedder.name


@pytest.mark.parametrize("memory", [{}, {"recall": {"embeddingModel": "auto"}}])
def test_auto_takes_the_first_available_by_order_and_name(memory: dict[str, Any]) -> None:
    choice = choose(
        spec("a_last", 300),
        spec("z_first", 1, build=raising(PartInactive("not installed"))),
        spec("b_second", 2, there=False),
        spec("c_third", 3),
        memory=memory,
    )
    assert name_of(choice) == "c_third"
    assert choice.embedder is not None
    assert choice.embedder.part.model is None  # type: ignore[attr-defined]
    assert (choice.degraded, choice.notes) == ((), ())


def test_the_documented_hosted_default_counts_only_when_it_stands_in_the_file() -> None:
    hosted = spec("hosted", 900, claims=lambda model: model == "text-embedding-3-small")
    assert name_of(choose(spec("local"), hosted)) == "local"
    written = {"recall": {"embeddingModel": "text-embedding-3-small"}}
    assert name_of(choose(spec("local"), hosted, memory=written)) == "hosted"


def test_a_model_goes_to_the_embedder_that_claims_it() -> None:
    choice = choose(spec("one"), spec("two"), memory={"recall": {"embeddingModel": "two:large"}})
    assert name_of(choice) == "two"
    assert choice.embedder is not None
    assert choice.embedder.part.model == "two:large"  # type: ignore[attr-defined]


def test_the_agents_own_model_wins_over_the_files() -> None:
    memory = {"recall": {"embeddingModel": "two"}}
    assert name_of(choose(spec("one"), spec("two"), memory=memory, agent={"embedding": "one"})) == "one"
    assert name_of(choose(spec("one"), spec("two"), memory=memory, agent={"embedding": "auto"})) == "one"


def test_a_preset_can_name_the_model() -> None:
    preset = Preset(name="calm", engine={"recall": {"embeddingModel": "two"}})
    assert name_of(choose(spec("one"), spec("two"), agent={"preset": "calm"}, presets=(preset,))) == "two"


def test_none_is_none_with_a_note() -> None:
    choice = choose(spec("one"), memory={"recall": {"embeddingModel": "none"}})
    assert (name_of(choice), choice.degraded) == (None, ())
    assert "memory.recall.embeddingModel says none" in choice.notes[0]


def test_nothing_to_embed_with_is_one_note_with_every_reason() -> None:
    inactive = spec("one", build=raising(PartInactive("install comis-core[static]")))
    choice = choose(inactive, spec("two", there=False))
    assert (name_of(choice), choice.degraded) == (None, ())
    assert choice.notes == ("no embedder: embedder 'one': install comis-core[static]; embedder 'two': not available",)
    assert choose().notes == ("no embedder is installed",)


def test_an_embedder_that_fails_under_auto_is_named_and_the_next_one_is_taken() -> None:
    choice = choose(spec("one", build=raising(OSError("disk"))), spec("two", there=ValueError("odd")), spec("zoo"))
    assert name_of(choice) == "zoo"
    assert [failure.reason.split(" (")[0] for failure in choice.degraded] == [
        "'one' is left out: OSError: disk",
        "'two' is left out: available() raised ValueError: odd",
    ]


@pytest.mark.parametrize(
    ("field", "reason"),
    [
        (
            {"build": raising(PartInactive("no such file"))},
            "its model 'one' cannot be used: embedder 'one': no such file",
        ),
        ({"build": raising(OSError("disk"))}, "OSError: disk"),
        ({"there": False}, "its model 'one' is not available"),
        ({"there": ValueError("odd")}, "available() raised ValueError: odd"),
    ],
)
def test_a_model_that_was_asked_for_and_cannot_be_used_is_degraded(field: dict[str, Any], reason: str) -> None:
    choice = choose(spec("one", **field), spec("two"), agent={"embedding": "one"})
    assert (name_of(choice), choice.notes) == (None, ())
    (failure,) = choice.degraded
    assert reason in failure.reason


def test_a_model_that_nobody_knows_is_a_config_error_naming_the_embedders() -> None:
    with pytest.raises(ConfigError, match=r"no embedder knows the model 'three' \(known: one \(small\), two\).*extra"):
        choose(spec("one", help="small"), spec("two"), agent={"embedding": "three"})


@pytest.mark.parametrize("model", ["embed_tiny", "embed_tnyi", "tinny"])
def test_a_model_called_nearly_as_an_embedder_is_guessed_by_the_word_that_it_takes(model: str) -> None:
    tiny = spec("embed_tiny", claims=lambda name: name == "tiny", help="small")
    other = spec("embed_file", claims=lambda name: False)
    with pytest.raises(ConfigError, match=r"; did you mean 'tiny'\? \(known: embed_file, tiny \(small\)\)"):
        choose(tiny, other, agent={"embedding": model})


def test_a_claim_that_raises_is_named_and_the_others_are_asked() -> None:
    choice = choose(spec("one", claims=lambda model: 1 / 0), spec("two"), agent={"embedding": "two"})
    assert name_of(choice) == "two"
    assert "claims('two') raised ZeroDivisionError" in choice.degraded[0].reason


def test_a_disabled_embedder_is_not_asked() -> None:
    off = spec("one", sections=(Section("oneEmbedder", Options, "engine"),))
    assert name_of(choose(off, spec("two"), memory={"oneEmbedder": {"enabled": False}})) == "two"


def test_under_strict_a_failing_embedder_is_an_error() -> None:
    with pytest.raises(PluginError, match="OSError: disk"):
        choose(spec("one", build=raising(OSError("disk"))), spec("two"), strict=True)


def test_closing_closes_the_chosen_one_and_those_that_were_tried() -> None:
    tried = Embedder(there=False)
    choice = choose(spec("one", build=lambda context, model: tried), spec("two"))
    choice.close()
    choice.close()
    assert choice.embedder is not None
    assert (tried.closed, choice.embedder.part.closed) == (1, 1)  # type: ignore[attr-defined]
