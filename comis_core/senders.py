"""Who speaks: senders that are names, and those that are roles.

Public: the sequence of turns and plugins that look for people ask alike.
"""

from __future__ import annotations

ROLES = frozenset((
    "user", "assistant", "system", "tool", "function", "developer", "human", "ai", "bot", "chatbot", "agent", "model",
    "llm", "customer", "client", "operator", "support", "unknown", "anonymous",
))  # fmt: skip
"""Senders that say what someone is, not who; compared casefolded and without white space around."""


def is_named(sender: str) -> bool:
    """Whether a sender is a name and not a role: "the user" is nobody's name."""
    return sender.strip().casefold() not in ROLES
