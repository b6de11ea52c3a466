"""What the race runs on: LoCoMo's conversations and made-up turns, with vectors from one embedder for all."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import comis_core
from comis_core.errors import PartInactive
from comis_core.protocols import BuildContext, Embedder
from comis_core.specs import ObserverSpec

sys.path.insert(0, str(Path(__file__).parents[1]))
from synthetic import Language, memories, mixed_questions

if TYPE_CHECKING:
    from numpy.typing import NDArray

DATA = Path(__file__).parents[4] / "shared" / "data" / "locomo"
UNANSWERABLE = "adversarial"


class Look:
    """A plugin that looks at the embedder that its agent has."""

    embedder: Embedder | None = None

    @comis_core.hookimpl
    def comis_observers(self) -> list[ObserverSpec]:
        """One that observes nothing else."""
        return [ObserverSpec(name="look", build=self._build)]

    def _build(self, context: BuildContext) -> object:
        self.embedder = context.embedder
        raise PartInactive("it has seen enough")


def prepare(folder: Path, *, model: str | None, made_up: int) -> str:
    """Write every case into a folder of its own. Returns what was embedded with, in words.

    model: folder of an ONNX export; None for the static embedder.
    """
    chosen = "static" if model is None else f"onnx:{Path(model).absolute()}"
    config = {"memory": {"recall": {"embeddingModel": chosen}}}
    look = Look()
    with comis_core.open(folder / "embedder.db", config=config, plugins={"look": look}) as engine:
        engine.pipeline()
        embedder = look.embedder
        if embedder is None:
            raise SystemExit("no embedder: pip install 'comis-core[static]', or name one with --model")
        for case in sorted(DATA.glob("*")) if DATA.is_dir() else ():
            questions = [asked for asked in _lines(case / "queries.jsonl") if asked.get("category") != UNANSWERABLE]
            _write(folder / f"locomo-{case.name}", _lines(case / "memories.jsonl"), questions, embedder)
        if not DATA.is_dir():
            print(f"no LoCoMo at {DATA}: recall@10 is left out", file=sys.stderr)
        _write(folder / f"made-up-{made_up}", *_made_up(made_up), embedder)
    return "the static embedder" if model is None else f"the ONNX export {Path(model).name}"


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _made_up(count: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    language = Language.of()
    rows = [
        {"id": str(number), "content": row.content, "sender": row.sender, "session": row.session, "turn": row.turn}
        for number, row in enumerate(memories(language, count, 40))
    ]
    return rows, [{"text": text, "relevant": []} for text in mixed_questions(language, 200, 41)]


def _write(
    folder: Path, rows: Sequence[dict[str, Any]], questions: Sequence[dict[str, Any]], embedder: Embedder
) -> None:
    folder.mkdir()
    for name, plain, vectors in (
        ("rows", rows, _embed(embedder, [row["content"] for row in rows], "document")),
        ("questions", questions, _embed(embedder, [question["text"] for question in questions], "query")),
    ):
        (folder / f"{name}.json").write_text(json.dumps(plain), encoding="utf-8")
        np.save(folder / f"{name}.npy", vectors)


def _embed(embedder: Embedder, texts: Sequence[str], kind: str) -> NDArray[np.float32]:
    """Each text by its first window."""
    first = [embedder.windows(text)[0] if kind == "document" else text for text in texts]
    return np.concatenate([embedder.embed(first[start : start + 64], kind) for start in range(0, len(first), 64)])
