"""Rules of what works on texts before they are written: embedders, extractors, validators."""

from __future__ import annotations

import numpy as np

from comis_core.model import Annotation, Finding
from comis_core.specs import EmbedderSpec, ExtractorSpec, ValidatorSpec
from comis_core.testing import corpus
from comis_core.testing.bench import Bench
from comis_core.testing.rules.rule import Rule

TEXTS = tuple(memory.content for memory in (*corpus.CONVERSATION, *corpus.FACTS, *corpus.SCRIPTS))
SEVERITIES = ("critical", "warning")


# -- embedders


def embeds_any_text_as_a_finite_unit_vector(bench: Bench, spec: EmbedderSpec) -> None:
    """float32[n, dimensions] of length 1 for questions and documents in every script, and for texts nobody expects."""
    with bench.part(spec) as embedder:
        for kind in ("query", "document"):
            for text in (*TEXTS, *corpus.HOSTILE[:20]):
                pieces = list(embedder.windows(text)) if kind == "document" else [text]
                vectors = embedder.embed(pieces, kind)
                assert vectors.dtype == np.float32
                assert vectors.shape == (len(pieces), embedder.dimensions), f"{text[:40]!r}: {vectors.shape}"
                assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-3), f"{text[:40]!r}"


def embeds_nothing_as_nothing(bench: Bench, spec: EmbedderSpec) -> None:
    """No texts have no vectors: float32[0, dimensions]."""
    with bench.part(spec) as embedder:
        assert embedder.embed([], "document").shape == (0, embedder.dimensions)


def embeds_the_same_twice_and_in_any_company(bench: Bench, spec: EmbedderSpec) -> None:
    """A text's vector depends on the text, not on what is embedded with it or when."""
    with bench.part(spec) as embedder, bench.part(spec) as fresh:
        together = embedder.embed(list(TEXTS[:8]), "document")
        assert np.array_equal(together, embedder.embed(list(TEXTS[:8]), "document"))
        alone = np.concatenate([fresh.embed([text], "document") for text in TEXTS[:8]])
        assert np.allclose(together, alone, atol=1e-3)
        assert (embedder.fingerprint, embedder.dimensions) == (fresh.fingerprint, fresh.dimensions)


def cuts_documents_into_windows(bench: Bench, spec: EmbedderSpec) -> None:
    """At least one window a text, a short text whole."""
    with bench.part(spec) as embedder:
        assert list(embedder.windows("Ana lives in Lisbon.")) == ["Ana lives in Lisbon."]
        for text in (*TEXTS, *corpus.HOSTILE):
            windows = embedder.windows(text)
            assert len(windows) >= 1
            assert all(isinstance(window, str) for window in windows)


def knows_itself(bench: Bench, spec: EmbedderSpec) -> None:
    """It has a fingerprint and dimensions, says whether it is there, and how well it sees a text."""
    with bench.part(spec) as embedder:
        assert isinstance(embedder.fingerprint, str)
        assert embedder.fingerprint.strip()
        assert embedder.dimensions >= 1
        assert isinstance(embedder.available(), bool)
        for text in (*TEXTS, *corpus.HOSTILE):
            assert 0.0 <= embedder.confidence(text) <= 1.0, f"{text[:40]!r}"


EMBEDDER = (
    Rule(embeds_any_text_as_a_finite_unit_vector),
    Rule(embeds_nothing_as_nothing),
    Rule(embeds_the_same_twice_and_in_any_company),
    Rule(cuts_documents_into_windows),
    Rule(knows_itself),
)


# -- extractors


def extracts_one_list_for_each_memory(bench: Bench, spec: ExtractorSpec) -> None:
    """Annotations with a confidence in 0..1, one sequence a memory, none for none; twice the same."""
    with bench.part(spec) as extractor, bench.snapshot() as reader:
        memories = reader.memories(reader.visible_ids())
        found = [list(annotations) for annotations in extractor.extract(memories, reader.scope_view())]
        assert len(found) == len(memories)
        assert found == [list(annotations) for annotations in extractor.extract(memories, reader.scope_view())]
        for annotation in (annotation for annotations in found for annotation in annotations):
            assert isinstance(annotation, Annotation)
            assert annotation.kind
            assert 0.0 <= annotation.confidence <= 1.0
        assert len(extractor.extract([], reader.scope_view())) == 0


EXTRACTOR = (Rule(extracts_one_list_for_each_memory),)


# -- validators


def judges_any_text(bench: Bench, spec: ValidatorSpec) -> None:
    """Findings of a known severity with a code and words, whatever the text and its purpose; twice the same."""
    with bench.part(spec) as validator:
        for purpose in ("memory", "extracted", "document"):
            for text in (*TEXTS, *corpus.HOSTILE):
                findings = list(validator.validate(text, purpose))
                assert findings == list(validator.validate(text, purpose))
                for finding in findings:
                    assert isinstance(finding, Finding)
                    assert finding.severity in SEVERITIES
                    assert finding.code
                    assert finding.message


VALIDATOR = (Rule(judges_any_text),)
