"""The core's own keys. Everything else in a config belongs to a plugin."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import attrs
from attrs.validators import ge, le, min_len

from comis_core.config.part_names import PARTS
from comis_core.model import Trust
from comis_core.model.shown import Compared
from comis_core.senders import Roles
from comis_core.specs import Section


def option(default: Any, help: str, *validators: Any, parts: tuple[str, ...] = ()) -> Any:
    """An attribute of an options class: its default, what it does, the validators of its range, and the stages of
    parts that it names.
    """
    metadata = {"help": help, PARTS: parts}
    if isinstance(default, dict):
        return attrs.field(factory=default.copy, validator=list(validators) or None, metadata=metadata)
    return attrs.field(default=default, validator=list(validators) or None, metadata=metadata)


def _file_name(instance: object, attribute: attrs.Attribute[str], value: str) -> None:
    if not value.strip() or "\0" in value or value.startswith((":memory:", "file:")):
        raise ValueError(f"must name a file, not {value!r}")


def _language(instance: object, attribute: attrs.Attribute[str], value: str) -> None:
    from comis_core.text.stemming import canonical_language  # what reads no text has no need of the stemmers

    canonical_language(value)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class MemoryOptions(Compared):
    """`memory`: the store that every agent of the file shares."""

    db_path: str = option("memory.db", "The database file; relative to the folder of this config.", _file_name)
    wal_mode: bool = option(True, "Write-ahead log: reading goes on while something is written.")
    language: str = option("english", "Language of words in Latin script, for stemming.", _language)
    synchronous: Literal["NORMAL", "FULL"] = option(
        "NORMAL", "FULL also survives a power cut in the instant of writing, at half the write speed."
    )
    vector_budget_mb: int = option(256, "RAM for vectors in megabytes; beyond it they are read from the file.", ge(0))


@attrs.frozen(kw_only=True, eq=False, repr=False)
class MasterOptions(Compared):
    """`memory`: the switch over everything that costs tokens."""

    enabled: bool = option(True, "Master switch of every feature that calls a language model; recall stays on.")


@attrs.frozen(kw_only=True, eq=False, repr=False)
class RecallModelOptions(Compared):
    """`memory.recall`: the models that recall uses; none of them is a language model."""

    embedding_model: str = option(
        "text-embedding-3-small",
        "Embedding model: auto, a known name or a file. Unset it is auto; the default is the hosted model's name only.",
        min_len(1),
    )
    embedding_dimensions: int = option(1536, "Length of the model's vectors.", ge(1), le(65_536))
    embedding_base_url: str | None = option(None, "Address of a compatible embedding endpoint.")
    reranker_model: str = option(
        "hf:gpustack/bge-reranker-v2-m3-GGUF:bge-reranker-v2-m3-Q8_0.gguf", "Cross-encoder model.", min_len(1)
    )
    reranker_models_dir: str = option("models", "Folder of local models; relative to the config's.", min_len(1))
    reranker_gpu: Literal["auto", "metal", "cuda", "vulkan", False] = option("auto", "Where the cross-encoder runs.")
    reranker_threads: int = option(4, "Threads of the cross-encoder.", ge(1), le(1024))


@attrs.frozen(kw_only=True, eq=False, repr=False)
class LanguageModelOptions(Compared):
    """`memory.languageModel`: what learning jobs and questions may ask; recall never does."""

    provider: str | None = option(None, "Plugin that talks to the model; nothing is called without one.")
    model: str | None = option(None, "The provider's name of the model.")
    base_url: str | None = option(None, "Address of a compatible endpoint.")
    api_key_env: str | None = option(None, "Environment variable that holds the key; a key never stands in the file.")


@attrs.frozen(kw_only=True, eq=False, repr=False)
class AgentOptions(Compared):
    """`agents.<name>`: keys of the agent itself."""

    preset: str | None = option(None, "Preset under this agent's keys: a named set of values; keys written here win.")
    embedding: str | None = option(None, "Embedding model of this agent, instead of memory.recall.embeddingModel.")


def _names(instance: object, attribute: attrs.Attribute[tuple[str, ...]], value: tuple[str, ...]) -> None:
    if not all(map(str.strip, value)):
        raise ValueError("must hold names, and one of them is empty; leave it out")


def _other_names(instance: SendersOptions, attribute: attrs.Attribute[tuple[str, ...]], value: tuple[str, ...]) -> None:
    roles = instance.roles()
    both = next((name for name in value if Roles(people=[name]).people <= roles.assistants), None)
    if both is not None:
        raise ValueError(
            f"{both!r} stands under assistants too; a sender is an assistant or a person, so leave one out"
        )


@attrs.frozen(kw_only=True, eq=False, repr=False)
class SendersOptions(Compared):
    """`agents.<name>.senders`: who speaks, where a sender's name does not say it."""

    assistants: tuple[str, ...] = option(
        (), "Senders that are assistants though their names do not say so, such as the agent's own: [Alfred].", _names
    )
    people: tuple[str, ...] = option(
        (),
        "Senders that are people though their names are roles, such as an agent of a help desk.",
        _names,
        _other_names,
    )

    def roles(self) -> Roles:
        """The same as a value to ask."""
        return Roles(assistants=self.assistants, people=self.people)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class RagOptions(Compared):
    """`agents.<name>.rag`: the frame of a recall."""

    enabled: bool = option(True, "Recall at all; off, every recall is empty and says so.")
    max_results: int = option(5, "At most so many memories in an answer.", ge(1), le(10_000))
    max_context_chars: int = option(
        4000, "At most so many characters of the block for the prompt; 0 = no limit.", ge(0)
    )
    min_score: float = option(0.1, "Memories below this fused score are left out.", ge(0), le(1))
    include_trust_levels: tuple[Trust, ...] = option(
        (Trust.SYSTEM, Trust.LEARNED), "Trust levels that may be recalled (frozen: leave it as it is).", min_len(1)
    )
    deadline_ms: int = option(
        5000, "Milliseconds after which SQL is interrupted and parts not yet begun are skipped.", ge(1)
    )


@attrs.frozen(kw_only=True, eq=False, repr=False)
class FusionOptions(Compared):
    """`agents.<name>.rag.fusion`: how rankings become one."""

    method: str | None = option(
        None, "Name of the fusion; unset = the one that declares itself the default.", parts=("fusion",)
    )


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ConflictOptions(Compared):
    """`agents.<name>.rag.conflict`: what contradicts what."""

    enabled: bool = option(True, "Put a memory directly above the one it corrects, and mark that one as superseded.")
    functional_predicates: tuple[str, ...] = option(
        (), "Predicates with one value at a time; two values for one subject are a conflict."
    )


@attrs.frozen(kw_only=True, eq=False, repr=False)
class TracesOptions(Compared):
    """`agents.<name>.rag.traces`: how answers came about, kept for `comis explain --trace` and `comis replay`."""

    keep: int = option(
        0, "Traces kept of each scope, ids and numbers only; 0 = none. Each recall then writes.", ge(0), le(100_000)
    )


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ElevatedReplyOptions(Compared):
    """`agents.<name>.elevatedReply`: whom learning trusts."""

    sender_trust_map: Mapping[str, Trust] = option({}, "Sender -> trust level; those named here are the owners.")
    default_trust_level: Trust = attrs.field(
        default=Trust.EXTERNAL, metadata={"help": "Trust level of every other sender."}
    )


@attrs.frozen(kw_only=True, eq=False, repr=False)
class PluginsOptions(Compared):
    """`plugins`: what is imported."""

    enable: tuple[str, ...] = option((), "Third-party plugins to import; an installed one is left alone otherwise.")
    disable: tuple[str, ...] = option((), "Built-in plugins to do without.")
    strict: bool = option(False, "Refuse to start when an enabled plugin cannot be imported or built.")


CORE_SECTIONS: tuple[Section, ...] = (
    Section("", MemoryOptions, "engine"),
    Section("recall", RecallModelOptions, "engine"),
    Section("", AgentOptions),
    Section("senders", SendersOptions),
    Section("rag", RagOptions),
    Section("rag.fusion", FusionOptions),
    Section("rag.conflict", ConflictOptions),
    Section("rag.traces", TracesOptions),
)
"""Every section that the core obeys; `plugins` stands apart because it is read before any plugin is imported."""

DORMANT_SECTIONS: tuple[Section, ...] = (
    Section("", MasterOptions, "engine"),
    Section("languageModel", LanguageModelOptions, "engine"),
    Section("elevatedReply", ElevatedReplyOptions),
)
"""The core's keys that nothing obeys yet, for what they govern is no part of this version."""

PLUGINS_SECTION = Section("", PluginsOptions, "engine")
