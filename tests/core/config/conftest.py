"""A schema such as the built-in plugins make it, and a way to load a config from text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import attrs
import pytest
from attrs.validators import ge, le

from comis_core.config import Config, OwnedSection, Schema, load
from comis_core.errors import ConfigError
from comis_core.specs import PluginInfo, Preset, Section

Load = Callable[..., Config]
Refuse = Callable[..., list[str]]


def alpha(default: float) -> Any:
    return attrs.field(default=default, validator=[ge(0), le(1)], metadata={"help": "Strength of the factor."})


@attrs.frozen(kw_only=True)
class LaneOptions:
    enabled: bool = True
    weight: float = attrs.field(default=1.0, metadata={"help": "What a full claim is worth."})


@attrs.frozen(kw_only=True)
class RecencyOptions:
    recency_alpha: float = alpha(0.2)


@attrs.frozen(kw_only=True)
class EventTimeOptions:
    temporal_alpha: float = alpha(0.2)


@attrs.frozen(kw_only=True)
class ProofOptions:
    proof_alpha: float = alpha(0.1)


@attrs.frozen(kw_only=True)
class TrustOptions:
    trust_alpha: float = alpha(0.1)


def plugin(name: str) -> PluginInfo:
    return PluginInfo(name=name, distribution="comis-core", version="0.1.0")


def built_in_sections() -> list[OwnedSection]:
    sections = {
        "fts": Section("rag.lanes.fts", LaneOptions),
        "vector": Section("rag.lanes.vector", LaneOptions),
        "recency": Section("rag.scoring", RecencyOptions),
        "event_time": Section("rag.scoring", EventTimeOptions),
        "proof": Section("rag.scoring", ProofOptions),
        "trust": Section("rag.scoring", TrustOptions),
    }
    return [OwnedSection(section=section, owner=plugin(name)) for name, section in sections.items()]


@pytest.fixture
def sections() -> list[OwnedSection]:
    """The sections of the plugins at hand."""
    return built_in_sections()


@pytest.fixture
def schema(sections: list[OwnedSection]) -> Schema:
    """The core's keys and those of the plugins at hand."""
    return Schema(sections)


@pytest.fixture
def load_text(tmp_path: Path, schema: Schema) -> Load:
    """Load YAML text as config.yaml of a temporary folder."""

    def load_it(
        text: str,
        presets: Mapping[str, Preset] | None = None,
        *,
        schema: Schema = schema,
        default_preset: str | None = None,
    ) -> Config:
        file = tmp_path / "config.yaml"
        file.write_text(text, encoding="utf-8")
        return load(file, schema, presets, default_preset=default_preset)

    return load_it


@pytest.fixture
def refuse_text(load_text: Load, tmp_path: Path) -> Refuse:
    """Load YAML text that must be refused; the problems, one line each, the file's folder taken out."""

    def refuse_it(text: str, *arguments: Any, **named: Any) -> list[str]:
        with pytest.raises(ConfigError) as caught:
            load_text(text, *arguments, **named)
        return [problem.replace(f"{tmp_path}/", "") for problem in caught.value.problems]

    return refuse_it
