"""The way of a memory into the file: validators, extractors, one transaction, the outbox."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs

from comis_core.errors import ComisError, MemoryRejected
from comis_core.model import (
    Annotation,
    BatchResult,
    Filters,
    Finding,
    Memory,
    NewMemory,
    Rejected,
    Scope,
    Stored,
    Trust,
)
from comis_core.protocols import Extractor, Transaction, Validator
from comis_core.recall.parts import Bound
from comis_core.store import Store
from comis_core.text import Analyser

Enqueue = Callable[[Transaction, int, Sequence[int]], None]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Verdict:
    """What the validators made of one memory: as it will be stored, and their warnings; or why it is refused."""

    memory: NewMemory
    warnings: tuple[str, ...] = ()
    refused: str = ""


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Writes:
    """Writes of one engine.

    enqueue: for a scope, what puts its new memories' slow work into the outbox. stored: called after each commit.
    """

    store: Store
    text: Analyser
    validators: tuple[Bound[Validator], ...]
    extractors: tuple[Bound[Extractor], ...]
    enqueue: Callable[[Scope], Enqueue | None]
    stored: Callable[[Scope], None]
    now: Callable[[], int]
    log: logging.Logger

    def add(self, scope: Scope, memories: Sequence[NewMemory], *, validate: bool, allow_system: bool) -> BatchResult:
        """Store a batch: what validators or rules refuse is reported by index, the rest goes in together."""
        verdicts = [self.judge(memory) if validate else Verdict(memory=memory) for memory in memories]
        kept = [index for index, verdict in enumerate(verdicts) if not verdict.refused]
        with self.text.remembering():
            result = self.store.add(
                scope,
                [verdicts[index].memory for index in kept],
                extract=lambda rows: self.extract(scope, rows),
                enqueue=self.enqueue(scope),
                allow_system=allow_system,
            )
        self.stored(scope)
        return _merged(verdicts, kept, result)

    def update(self, scope: Scope, id: str, changes: Mapping[str, Any], *, allow_system: bool) -> Memory:
        """Write a new version; new words are judged as those of a new memory are."""
        if changes.keys() & {"content", "title"}:
            former = self.store.get(scope, id)
            words = {name: changes.get(name, getattr(former, name)) for name in ("content", "title")}
            verdict = self.judge(NewMemory(**words))
            if verdict.refused:
                raise MemoryRejected(verdict.refused)
            if verdict.memory.trust == Trust.EXTERNAL:
                changes = {**changes, "trust": Trust.EXTERNAL}
        memory = self.store.update(
            scope,
            id,
            extract=lambda rows: self.extract(scope, rows),
            enqueue=self.enqueue(scope),
            allow_system=allow_system,
            **changes,
        )
        self.stored(scope)
        return memory

    def judge(self, memory: NewMemory) -> Verdict:
        """Ask every validator. Warnings make a memory external; so does a validator that fails."""
        if not self.validators or not isinstance(memory.content, str):
            return Verdict(memory=memory)
        text = "\n".join(filter(None, (memory.title, memory.content)))
        findings = [finding for validator in self.validators for finding in self._findings(validator, text, "memory")]
        critical = [finding.message for finding in findings if finding.severity == "critical"]
        if critical:
            return Verdict(memory=memory, refused="; ".join(critical))
        warnings = tuple(finding.message for finding in findings)
        judged = attrs.evolve(memory, trust=Trust.EXTERNAL) if warnings else memory
        return Verdict(memory=judged, warnings=warnings)

    def findings(self, text: str, purpose: str) -> list[Finding]:
        """What the validators say of any text."""
        return [finding for validator in self.validators for finding in self._findings(validator, text, purpose)]

    def extract(self, scope: Scope, memories: Sequence[Memory]) -> list[list[Annotation]]:
        """What the extractors find, one list a memory. An extractor that fails finds nothing and is logged."""
        found: list[list[Annotation]] = [[] for _ in memories]
        if not self.extractors or not memories:
            return found
        # A view looks things up when it is first asked, so its snapshot stays open meanwhile.
        with self.store.snapshot(scope, now=self.now(), filters=Filters()) as reader:
            view = reader.scope_view()
            for extractor in self.extractors:
                for own, more in zip(found, self._extracted(extractor, memories, view), strict=True):
                    own.extend(map(_by_extractor, more))
        return found

    def _extracted(self, extractor: Bound[Extractor], memories: Sequence[Memory], view: Any) -> Sequence[Any]:
        try:
            found = extractor.part.extract(memories, view)
            if len(found) != len(memories):
                raise ComisError(f"it returned {len(found)} rows for {len(memories)} memories")
        except Exception as error:  # noqa: BLE001  a plugin may raise anything; the memory is stored all the same
            self.log.warning("%s failed to extract: %r", extractor.plugin, error)
            return [()] * len(memories)
        return found

    def _findings(self, validator: Bound[Validator], text: str, purpose: str) -> list[Finding]:
        try:
            return list(validator.part.validate(text, purpose))
        except Exception as error:  # noqa: BLE001  a plugin may raise anything; the text is then not trusted
            self.log.warning("%s failed to validate: %r", validator.plugin, error)
            severity = "critical" if purpose == "document" else "warning"
            return [Finding(severity=severity, code="failed", message=f"{validator.name} could not judge it")]


def _by_extractor(annotation: Annotation) -> Annotation:
    return annotation if annotation.origin == "extractor" else attrs.evolve(annotation, origin="extractor")


def _merged(verdicts: Sequence[Verdict], kept: Sequence[int], result: BatchResult) -> BatchResult:
    """The store's answer in the caller's row numbers, with the validators' words."""
    refused = {kept[row.index]: row.reason for row in result.rejected}
    accepted = [index for index in kept if index not in refused]
    refused |= {index: verdict.refused for index, verdict in enumerate(verdicts) if verdict.refused}
    stored: list[Stored] = [
        attrs.evolve(row, warnings=verdicts[index].warnings) if verdicts[index].warnings else row
        for index, row in zip(accepted, result.stored, strict=True)
    ]
    rejected = tuple(Rejected(index=index, reason=reason) for index, reason in sorted(refused.items()))
    return BatchResult(stored=tuple(stored), rejected=rejected)
