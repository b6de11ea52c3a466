"""The one analyser: what a text is for storing, finding and comparing it.

Writing and asking read text alike, or nothing would be found: lanes, dedup, attribution, topics and entities all use
the views named here and none of their own.
"""

from __future__ import annotations

from comis_core.text.analyser import Analyser
from comis_core.text.analysis import Analysis, Kind, Token
from comis_core.text.names import fold_name
from comis_core.text.normal import check_text, normalise
from comis_core.text.similarity import fingerprint, similarity

__all__ = ["Analyser", "Analysis", "Kind", "Token", "check_text", "fingerprint", "fold_name", "normalise", "similarity"]
