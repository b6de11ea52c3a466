"""The time budget: as many candidates as fit, never more, whatever the model's pace; no model is needed for that."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comis_core.errors import ComisError
from comis_core.model import Query
from comis_core.protocols import RerankRequest
from comis_core.recall.flights import Busy, Flights, TimedOut
from comis_plugins.rerank.options import RerankOptions
from comis_plugins.rerank.pace import Pace
from comis_plugins.rerank.reranker import LlamaReranker

START = 1000.0


@attrs.define(eq=False)
class SlowEncoder:
    """An encoder on a clock of its own: a token takes `costs` seconds in turn; what passes the end is stopped."""

    costs: Iterator[float]
    now: float = START
    end: float = float("inf")
    judged: int = 0
    stops: bool = True
    """Whether a run can be stopped on the way, as on a processor, or not, as on a GPU."""

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        self.end = self.now + seconds
        yield

    def tokens(self, query: str) -> list[int]:
        return [1] * len(query.split())

    def pair(self, query: Sequence[int], text: str) -> list[int]:
        return [*query, *([2] * len(text.split()))]

    def score(self, pair: Sequence[int]) -> float | None:
        self.now += next(self.costs) * len(pair)
        if self.stops and self.now >= self.end:
            self.now = self.end
            return None
        self.judged += 1
        return 1.0 / self.judged


def constantly(cost: float) -> Iterator[float]:
    while True:
        yield cost


def request(
    count: int, *, deadline: float, words: int = 6, cancelled: Callable[[], bool] = lambda: False
) -> RerankRequest:
    return RerankRequest(
        query=Query.of("where does ana live"),
        ids=np.arange(count, dtype=np.int64),
        texts=["word " * words] * count,
        deadline=deadline,
        cancelled=cancelled,
    )


def reranker(encoder: SlowEncoder, pace: float, *, timeout_ms: int = 800) -> LlamaReranker:
    options = RerankOptions(timeout_ms=timeout_ms, max_candidates=1000)
    return LlamaReranker(encoder, Pace(pace), options, clock=lambda: encoder.now)


def test_all_candidates_are_judged_when_there_is_time() -> None:
    encoder = SlowEncoder(constantly(0.0001))
    scores = reranker(encoder, 0.0001).rerank(request(40, deadline=START + 0.8))
    assert scores.tolist() == [1.0 / place for place in range(1, 41)]


def test_as_many_as_fit_are_judged_rather_than_none() -> None:
    encoder = SlowEncoder(constantly(0.005))  # 50 ms a candidate
    scores = reranker(encoder, 0.005).rerank(request(300, deadline=START + 0.8))
    assert len(scores) == 15  # of 800 ms, 40 are kept for the way back
    assert encoder.now <= START + 0.8


@pytest.mark.parametrize("stops", [True, False])
def test_three_hundred_candidates_never_take_longer_than_allowed(stops: bool) -> None:
    encoder = SlowEncoder(constantly(0.02), stops=stops)  # a minute for all of them
    judged = reranker(encoder, 0.02).rerank(request(300, deadline=START + 0.8))
    assert 0 < len(judged) < 300
    assert encoder.now <= START + 0.8


@given(
    costs=st.lists(st.floats(1e-5, 0.05), min_size=1, max_size=8),
    guess=st.floats(1e-5, 1.0),
    count=st.integers(1, 300),
    timeout_ms=st.integers(1, 5000),
    asked=st.integers(1, 4),
)
def test_no_pace_however_changing_breaks_the_budget(
    costs: list[float], guess: float, count: int, timeout_ms: int, asked: int
) -> None:
    encoder = SlowEncoder(iter(costs * 400))
    judging = reranker(encoder, guess, timeout_ms=timeout_ms)
    for _ in range(asked):
        deadline = encoder.now + timeout_ms / 1000
        try:
            scores = judging.rerank(request(min(count, len(costs) * 100), deadline=deadline))
        except ComisError:
            scores = np.empty(0)
        assert encoder.now <= deadline
        assert len(scores) <= count


def test_a_model_too_slow_for_one_candidate_says_so_without_being_run() -> None:
    encoder = SlowEncoder(constantly(1.0))
    with pytest.raises(ComisError, match="no candidate could be judged within 760 ms"):
        reranker(encoder, 1.0).rerank(request(40, deadline=START + 0.8))
    assert encoder.now == START


def test_one_busy_moment_does_not_end_reranking_for_good() -> None:
    encoder = SlowEncoder(constantly(0.001))
    judging = reranker(encoder, 1.0)  # measured while the machine was busy
    judged: list[int] = []
    for _ in range(40):
        try:
            judged.append(len(judging.rerank(request(5, deadline=encoder.now + 0.8))))
        except ComisError:
            judged.append(0)
    assert judged[0] == 0
    assert judged[-1] == 5


def test_a_run_that_was_stopped_is_not_tried_again_at_once() -> None:
    encoder = SlowEncoder(constantly(1.0))
    judging = reranker(encoder, 0.001)
    moments = []
    for _ in range(5):
        with pytest.raises(ComisError):
            judging.rerank(request(5, deadline=encoder.now + 0.8))
        moments.append(encoder.now)
    assert len(set(moments[:5])) == 1


def test_what_was_judged_before_a_stop_counts() -> None:
    encoder = SlowEncoder(iter([0.001, 0.001, 0.001, 9.0]))
    assert len(reranker(encoder, 0.001).rerank(request(40, deadline=START + 0.8))) == 3


def test_longer_texts_are_expected_to_take_longer() -> None:
    short = reranker(SlowEncoder(constantly(0.002)), 0.002).rerank(request(300, deadline=START + 0.8, words=6))
    long = reranker(SlowEncoder(constantly(0.002)), 0.002).rerank(request(300, deadline=START + 0.8, words=96))
    assert len(short) == 38
    assert len(long) == 3


@pytest.mark.parametrize("deadline", [START - 1.0, START, START + 0.04])
def test_an_answer_that_is_no_longer_wanted_is_empty(deadline: float) -> None:
    encoder = SlowEncoder(constantly(0.001))
    assert len(reranker(encoder, 0.001).rerank(request(5, deadline=deadline))) == 0
    assert encoder.judged == 0


def test_nobody_is_judged_after_the_recall_gave_up() -> None:
    encoder = SlowEncoder(constantly(0.001))
    asked = iter([False, False, True])
    scores = reranker(encoder, 0.001).rerank(request(9, deadline=START + 0.8, cancelled=lambda: next(asked)))
    assert len(scores) == 2


def test_no_candidates_have_no_scores() -> None:
    assert reranker(SlowEncoder(constantly(1.0)), 1.0).rerank(request(0, deadline=START + 0.8)).shape == (0,)


class HangingEncoder(SlowEncoder):
    """An encoder that does not come back before it is let go."""

    let_go: threading.Event

    def score(self, pair: Sequence[int]) -> float | None:
        self.let_go.wait(60)
        return 0.5


def test_a_model_that_hangs_is_given_up_and_left_alone_until_it_is_back() -> None:
    encoder = HangingEncoder(constantly(0.001))
    encoder.let_go = threading.Event()
    part, flights = reranker(encoder, 0.001), Flights()

    def work(cancelled: threading.Event) -> object:
        return part.rerank(request(5, deadline=START + 0.8, cancelled=cancelled.is_set))

    with pytest.raises(TimedOut):
        flights.run(part, work, seconds=0.02)
    with pytest.raises(Busy):
        flights.run(part, work, seconds=0.02)
    encoder.let_go.set()


def test_a_pace_believes_slow_news_at_once_and_good_news_slowly() -> None:
    pace = Pace(0.010)
    pace.learn(10, 0.2, finished=True)
    assert pace.expect(1) == pytest.approx(0.020)
    pace.learn(10, 0.1, finished=True)
    assert pace.expect(1) == pytest.approx(0.018)
    pace.learn(10, 0.2, finished=False)
    assert pace.expect(1) == pytest.approx(0.040)
    pace.doubt()
    assert pace.expect(1) == pytest.approx(0.036)
