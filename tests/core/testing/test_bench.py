"""The bench: what is stored, what is in sight, and the toy embedder."""

from __future__ import annotations

import types
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comis_core import hookimpl
from comis_core.errors import ConfigError
from comis_core.model import Scope
from comis_core.specs import EmbedderSpec, LaneSpec, Section, Spec
from comis_core.testing import Bench, ToyEmbedder, corpus, make_distribution


@attrs.frozen
class Options:
    """One option."""

    size: int = attrs.field(default=1, metadata={"help": "A size."})


PLUGIN = types.SimpleNamespace(
    comis_lanes=hookimpl(
        lambda: [
            LaneSpec(
                name="mine",
                build=lambda context, options: types.SimpleNamespace(search=print, context=context, options=options),
                sections=(Section("rag.lanes.mine", Options),),
            )
        ]
    ),
    comis_embedders=hookimpl(lambda: [EmbedderSpec(name="named", build=lambda context, model: Named(model))]),
)


class Named(ToyEmbedder):
    """An embedder that knows which model it was asked for."""

    def __init__(self, model: str | None) -> None:
        self.model = model


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """A bench with a small plugin."""
    with closing(Bench.open(tmp_path_factory.mktemp("bench"), PLUGIN)) as opened:
        yield opened


def texts(bench: Bench, scope: Scope) -> set[str]:
    """The contents in sight in a scope."""
    with bench.snapshot(scope) as reader:
        return set(reader.texts(reader.visible_ids()))


def test_what_expired_was_evicted_deleted_or_replaced_is_out_of_sight(bench: Bench) -> None:
    seen = texts(bench, corpus.HOME)
    assert not seen & {memory.content for memory in corpus.HIDDEN}
    assert "Ana lives in Lisbon, second version." in seen
    assert {memory.content for memory in (*corpus.CONVERSATION, *corpus.FACTS)} <= seen


def test_every_scope_has_its_own(bench: Bench) -> None:
    secret = corpus.NEIGHBOURS[-1].content
    assert secret in texts(bench, corpus.NEIGHBOUR) & texts(bench, corpus.STRANGER)
    assert secret not in texts(bench, corpus.HOME)
    assert texts(bench, corpus.EMPTY) == set()


@pytest.mark.parametrize("words", [words for words in corpus.FILTERS if words not in ("no filter", "nothing at all")])
def test_every_filter_shows_something_and_hides_something(bench: Bench, words: str) -> None:
    with bench.snapshot() as reader:
        whole = len(reader.visible_ids())
    with bench.snapshot(filters=corpus.FILTERS[words]) as reader:
        assert 0 < len(reader.visible_ids()) < whole or words == "as recorded before"


def test_every_memory_in_sight_has_a_vector(bench: Bench) -> None:
    embedder = ToyEmbedder()
    with bench.snapshot() as reader:
        ids = reader.visible_ids()
        vectors = bench.vectors.fetch(reader, embedder.fingerprint, ids)
        assert np.allclose(vectors, embedder.embed(reader.texts(ids), "document"))


def test_parts_are_built_as_the_config_says(tmp_path: Path) -> None:
    config: dict[str, Any] = {"agents": {"home": {"rag": {"lanes": {"mine": {"size": 9}}}, "embedding": "a model"}}}
    with closing(Bench.open(tmp_path, PLUGIN, config)) as bench:
        lane, embedder = (bench.build(spec) for spec in bench.specs() if isinstance(spec, Spec))
        assert lane.options == Options(size=9)
        assert lane.context.scope == corpus.HOME
        assert embedder.model == "a model"


def test_a_wrong_config_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="sise"):
        Bench.open(tmp_path, PLUGIN, {"agents": {"home": {"rag": {"lanes": {"mine": {"sise": 9}}}}}})


def test_the_bench_gives_back_what_it_holds_when_it_cannot_be_filled(tmp_path: Path) -> None:
    plugin = types.SimpleNamespace(comis_indexes=hookimpl(lambda: [_failing_index()]))
    with pytest.raises(ZeroDivisionError):
        Bench.open(tmp_path, plugin)
    (tmp_path / "memory.db").unlink()


def _failing_index() -> Any:
    from comis_core.specs import IndexSpec

    return IndexSpec(name="mine", build=lambda context: 1 / 0)


@given(st.text(max_size=50))
def test_the_toy_embedder_embeds_any_text_alike_as_a_unit_vector(text: str) -> None:
    first, second = ToyEmbedder().embed([text, text], "query")
    assert np.array_equal(first, second)
    assert np.linalg.norm(first) == pytest.approx(1.0, abs=1e-5)


def test_the_toy_embedder_brings_texts_together_that_share_words() -> None:
    bread, loaf, train = ToyEmbedder().embed(
        ["fresh bread from the bakery", "fresh bread from a bakery", "42 wagons"], "document"
    )
    assert bread @ loaf > bread @ train + 0.2


def test_a_made_distribution_is_a_folder_as_an_installer_leaves_it(tmp_path: Path) -> None:
    folder = make_distribution(
        tmp_path, "my-lane", version="2.1", plugins={"mine": "mine:plugin"}, modules={"mine": "x = 1"}
    )
    assert (folder / "mine.py").read_text() == "x = 1"
    assert "Name: my-lane\nVersion: 2.1\n" in (folder / "my_lane-2.1.dist-info" / "METADATA").read_text()
    assert (
        folder / "my_lane-2.1.dist-info" / "entry_points.txt"
    ).read_text() == "[comis.plugins]\nmine = mine:plugin\n"
