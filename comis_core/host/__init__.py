"""The host: finds plugins by metadata, imports them guarded, and compiles what they offer into pipelines."""

from comis_core.host.compile import Compiled, check_agent, compile_agent
from comis_core.host.discovery import Candidate, Discovery, discover
from comis_core.host.embedder import EmbedderChoice, build_embedder, configured_model
from comis_core.host.engine_parts import (
    BoundIndex,
    EngineParts,
    build_extractors,
    build_idle_indexes,
    build_indexes,
    build_validators,
    enabled_names,
)
from comis_core.host.manager import Host
from comis_core.host.registry import Registry
from comis_core.host.report import PluginReport

__all__ = [
    "BoundIndex",
    "Candidate",
    "Compiled",
    "Discovery",
    "EmbedderChoice",
    "EngineParts",
    "Host",
    "PluginReport",
    "Registry",
    "build_embedder",
    "build_extractors",
    "build_idle_indexes",
    "build_indexes",
    "build_validators",
    "check_agent",
    "compile_agent",
    "configured_model",
    "discover",
    "enabled_names",
]
