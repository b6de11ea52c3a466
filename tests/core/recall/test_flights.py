"""One call at a time into a blocking part, each with a limit. Events stand in for slow work; nothing sleeps."""

from __future__ import annotations

import threading

import pytest

from comis_core.recall.flights import Busy, Flights, TimedOut

PART = object()


def test_a_result_comes_back() -> None:
    assert Flights().run(PART, lambda cancelled: 42, seconds=10) == 42


def test_an_error_comes_back() -> None:
    def work(cancelled: threading.Event) -> None:
        raise ValueError("boom")

    with pytest.raises(ValueError, match="boom"):
        Flights().run(PART, work, seconds=10)


def test_the_part_runs_in_a_thread_of_its_own() -> None:
    assert Flights().run(PART, lambda cancelled: threading.get_ident(), seconds=10) != threading.get_ident()


def test_a_call_that_takes_too_long_is_given_up_and_told_so() -> None:
    seen: list[threading.Event] = []
    ended = threading.Event()

    def work(cancelled: threading.Event) -> None:
        seen.append(cancelled)
        cancelled.wait(10)
        ended.set()

    with pytest.raises(TimedOut, match="within 20 ms"):
        Flights().run(PART, work, seconds=0.02)
    assert seen[0].is_set()
    assert ended.wait(10)


def test_while_a_call_that_was_given_up_goes_on_further_ones_are_refused_at_once() -> None:
    flights, go_on = Flights(), threading.Event()
    with pytest.raises(TimedOut):
        flights.run(PART, lambda cancelled: go_on.wait(10), seconds=0.01)
    with pytest.raises(Busy, match="given up"):
        flights.run(PART, lambda cancelled: 1, seconds=10)
    assert flights.run(object(), lambda cancelled: 2, seconds=10) == 2
    go_on.set()


def test_after_a_call_that_was_given_up_has_ended_the_part_is_used_again() -> None:
    flights, go_on = Flights(), threading.Event()
    with pytest.raises(TimedOut):
        flights.run(PART, lambda cancelled: go_on.wait(10), seconds=0.01)
    (flight,) = flights._running.values()
    go_on.set()
    assert flight.done.wait(10)
    assert flights.run(PART, lambda cancelled: 3, seconds=10) == 3


def test_two_recalls_take_turns() -> None:
    flights, first_is_in, go_on = Flights(), threading.Event(), threading.Event()
    at_once: list[int] = []
    inside = 0

    def work(cancelled: threading.Event) -> None:
        nonlocal inside
        inside += 1
        at_once.append(inside)
        first_is_in.set()
        go_on.wait(10)
        inside -= 1

    threads = [threading.Thread(target=flights.run, args=(PART, work), kwargs={"seconds": 10}) for _ in range(2)]
    for thread in threads:
        thread.start()
    assert first_is_in.wait(10)
    go_on.set()
    for thread in threads:
        thread.join(10)
    assert at_once == [1, 1]


def test_a_turn_that_does_not_come_in_time_is_refused() -> None:
    flights, is_in, go_on = Flights(), threading.Event(), threading.Event()

    def work(cancelled: threading.Event) -> None:
        is_in.set()
        go_on.wait(10)

    thread = threading.Thread(target=flights.run, args=(PART, work), kwargs={"seconds": 10})
    thread.start()
    assert is_in.wait(10)
    with pytest.raises(Busy, match="all the time"):
        flights.run(PART, lambda cancelled: 1, seconds=0.01)
    go_on.set()
    thread.join(10)
