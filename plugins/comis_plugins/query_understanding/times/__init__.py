"""Time expressions of a question, as a window in the asker's time zone.

`calendar` counts days, `vocabulary` has the words, `stated` reads dates that stand for themselves, `relative` those
that count from `today`, and `window` puts together what was found.
"""

from __future__ import annotations

from datetime import tzinfo
from typing import TYPE_CHECKING

from comis_plugins.query_understanding.times.expression import Question

if TYPE_CHECKING:
    from comis_core.model import TimeWindow


def time_window(text: str, *, now: int, zone: tzinfo, zone_name: str, hard: bool = False) -> TimeWindow | None:
    """The window that a question names, or None.

    Args:
        text: the question.
        now: epoch microseconds.
        zone, zone_name: the asker's time zone and its IANA name.
        hard: whether the window is to be a filter.
    """
    question = Question(text)
    if not question.may_say_when:
        return None
    # Most questions say nothing of time, and none of the first must wait for what reads it.
    from comis_plugins.query_understanding.times.window import window_of

    try:
        return window_of(question, now=now, zone=zone, zone_name=zone_name, hard=hard)
    except OverflowError:  # asked so near to the end of the calendar that it is over in the asker's zone
        return None
