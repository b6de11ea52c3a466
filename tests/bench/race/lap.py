"""One peer's run, in its own environment: reads what the race has prepared, prints what it measured as JSON."""

from __future__ import annotations

import importlib.util
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

K = 10


def main(module: Path, prepared: Path) -> None:
    """Run every case."""
    spec = importlib.util.spec_from_file_location(f"race_{module.stem}", module)
    assert spec is not None
    assert spec.loader is not None
    peer = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(peer)
    cases = [_case(peer.Peer, folder) for folder in sorted(prepared.iterdir()) if folder.is_dir()]
    print(json.dumps(cases))


def _case(make: Any, folder: Path) -> dict[str, Any]:
    rows = json.loads((folder / "rows.json").read_text(encoding="utf-8"))
    questions = json.loads((folder / "questions.json").read_text(encoding="utf-8"))
    vectors, asked = np.load(folder / "rows.npy"), np.load(folder / "questions.npy")
    with tempfile.TemporaryDirectory() as place:
        peer = make(Path(place), vectors.shape[1])
        processor = time.process_time()
        peer.ingest(rows, vectors)
        ingested = time.process_time() - processor
        peer.search(questions[0]["text"], asked[0], K)  # whatever is made at the first question
        taken, recalls = [], []
        for question, vector in zip(questions, asked, strict=True):
            processor = time.process_time()
            found = peer.search(question["text"], vector, K)
            taken.append((time.process_time() - processor) * 1000)
            relevant = set(question["relevant"])
            if relevant:
                recalls.append(len(relevant & set(found[:K])) / len(relevant))
        note = peer.note
        peer.close()
    return {
        "case": folder.name,
        "rows": len(rows),
        "seconds": ingested,
        "milliseconds": taken,
        "recalls": recalls,
        "note": note,
    }


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
