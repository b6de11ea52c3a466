"""Time expressions of a question, as a window in the asker's time zone.

`calendar` counts days, `vocabulary` has the words, `stated` reads dates that stand for themselves, `relative` those
that count from `today`, and `window` puts together what was found.
"""

from __future__ import annotations

from comis_plugins.query_understanding.times.window import time_window

__all__ = ["time_window"]
