"""A part's failure is recorded, logged once a cause, and contained."""

from __future__ import annotations

import logging
import sys
import time

import pytest

from comis_core.errors import ContractError
from comis_core.recall.guard import LONGEST_REASON, Guard, Supervisor
from comis_core.recall.parts import Bound

PART = Bound(name="mine", plugin="plugin 'mine' (comis-mine 2.0)", part=object())


def guard(seconds: float = 60.0, supervisor: Supervisor | None = None) -> Guard:
    return Guard(supervisor or Supervisor(logging.getLogger("tests.guard")), time.monotonic() + seconds)


def fail(error: BaseException) -> object:
    raise error


def test_what_works_is_handed_through() -> None:
    watching = guard()
    assert watching.attempt(PART, "lane", lambda part: 42) == 42
    assert watching.degraded == []


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ValueError("boom"), "ValueError: boom"),
        (ValueError(), "ValueError"),
        (ContractError("returned an id twice"), "returned an id twice"),
        (SystemExit(3), "SystemExit: 3"),
        (RecursionError("too deep"), "RecursionError: too deep"),
        (ValueError("two\n lines"), "ValueError: two lines"),
    ],
)
def test_a_failure_names_plugin_stage_and_reason(error: BaseException, reason: str) -> None:
    watching = guard()
    assert watching.attempt(PART, "lane", lambda part: fail(error)) is None
    (degraded,) = watching.degraded
    assert str(degraded) == f"plugin 'mine' (comis-mine 2.0) (lane): {reason}"


def test_an_interrupt_from_the_keyboard_is_nobodys_failure() -> None:
    with pytest.raises(KeyboardInterrupt):
        guard().attempt(PART, "lane", lambda part: fail(KeyboardInterrupt()))


def test_the_part_is_named_where_its_plugin_is_called_otherwise() -> None:
    watching = guard()
    watching.attempt(
        Bound(name="second", plugin="plugin 'mine'", part=None), "lane", lambda part: fail(ValueError("x"))
    )
    assert watching.degraded[0].reason == "second: ValueError: x"


def test_a_reason_is_kept_short() -> None:
    watching = guard()
    watching.attempt(PART, "lane", lambda part: fail(ValueError("x" * 10_000)))
    assert len(watching.degraded[0].reason) == LONGEST_REASON


def test_the_same_cause_is_logged_once_for_all_recalls(caplog: pytest.LogCaptureFixture) -> None:
    supervisor = Supervisor(logging.getLogger("tests.guard"))
    with caplog.at_level(logging.WARNING, "tests.guard"):
        for number in range(3):
            guard(supervisor=supervisor).attempt(PART, "lane", lambda part, n=number: fail(ValueError(f"row {n}")))  # type: ignore[misc]
        guard(supervisor=supervisor).attempt(PART, "lane", lambda part: fail(KeyError("other")))
        guard(supervisor=supervisor).attempt(PART, "lane", lambda part: fail(ContractError("returned an id twice")))
        guard(supervisor=supervisor).attempt(PART, "lane", lambda part: fail(ContractError("returned an id twice")))
        guard(supervisor=supervisor).attempt(PART, "scorer", lambda part: fail(ValueError("row 9")))
    assert [record.getMessage().split(": ", 1)[1] for record in caplog.records] == [
        "ValueError: row 0",
        "KeyError: 'other'",
        "returned an id twice",
        "ValueError: row 9",
    ]


def test_the_log_has_the_traceback_of_an_unexpected_error(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "tests.guard"):
        guard().attempt(PART, "lane", lambda part: fail(ValueError("boom")))
    assert caplog.records[0].exc_info is not None
    assert sys.exc_info() == (None, None, None)


def test_after_the_deadline_no_part_is_started() -> None:
    watching = guard(seconds=-1.0)
    assert watching.attempt(PART, "lane", lambda part: fail(AssertionError("was started"))) is None
    assert watching.degraded[0].reason == "was not started, because the recall's deadline had passed"


def test_a_part_that_is_not_started_says_who_took_the_time() -> None:
    watching = guard()

    def overrun(part: object) -> int:
        while time.monotonic() < started + 0.002:
            pass
        watching.deadline = time.monotonic() - 1.0
        return 7

    watching.attempt(Bound(name="quick", plugin="mine", part=object()), "analyzer", lambda part: 1)
    started = time.monotonic()
    watching.attempt(Bound(name="slow", plugin="mine", part=object()), "lane", overrun)
    watching.attempt(PART, "expander", lambda part: fail(AssertionError("was started")))
    (degraded,) = watching.degraded
    assert degraded.reason.endswith("the recall's deadline had passed (lane 'slow' took most of the time)")


def test_parts_that_only_compute_run_after_the_deadline_too() -> None:
    assert guard(seconds=-1.0).attempt(PART, "scorer", lambda part: 1.5, timed=False) == 1.5


def test_a_part_that_overruns_the_deadline_keeps_its_result_and_is_reported() -> None:
    watching = guard()

    def overrun(part: object) -> int:
        watching.deadline = time.monotonic() - 1.0
        return 7

    assert watching.attempt(PART, "lane", overrun) == 7
    assert watching.notes == ["lane 'mine' was still at work when the recall's deadline passed"]
