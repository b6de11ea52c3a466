"""Configuration: `config.yaml` or a mapping, checked strictly against the union of the core's and the plugins' keys.

`read` gives plain data with positions, which says which plugins to import; `Schema` is made of the sections they
bring; `structure` reports every problem at once, or returns the `Config` that hands out options.
"""

from comis_core.config.core import (
    CORE_SECTIONS,
    AgentOptions,
    ConflictOptions,
    ElevatedReplyOptions,
    FusionOptions,
    LanguageModelOptions,
    MemoryOptions,
    PluginsOptions,
    RagOptions,
    RecallModelOptions,
    SendersOptions,
    TracesOptions,
)
from comis_core.config.json_schema import json_schema
from comis_core.config.names import did_you_mean, to_key, to_name
from comis_core.config.problems import ConfigWarning
from comis_core.config.reading import RawConfig, read
from comis_core.config.schema import OwnedSection, Schema
from comis_core.config.settings import Config, InactiveKey, Setting
from comis_core.config.structure import load, structure
from comis_core.config.template import template

__all__ = [
    "CORE_SECTIONS",
    "AgentOptions",
    "Config",
    "ConfigWarning",
    "ConflictOptions",
    "ElevatedReplyOptions",
    "FusionOptions",
    "InactiveKey",
    "LanguageModelOptions",
    "MemoryOptions",
    "OwnedSection",
    "PluginsOptions",
    "RagOptions",
    "RawConfig",
    "RecallModelOptions",
    "Schema",
    "SendersOptions",
    "Setting",
    "TracesOptions",
    "did_you_mean",
    "json_schema",
    "load",
    "read",
    "structure",
    "template",
    "to_key",
    "to_name",
]
