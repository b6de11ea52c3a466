"""Who speaks: senders that are names, and those that are roles.

Public: the sequence of turns and plugins that look for people ask alike.
"""

from __future__ import annotations

ASSISTANT, TOOL, SYSTEM = "the assistant", "a tool", "the system"
MACHINES = {
    **dict.fromkeys(("assistant", "ai", "bot", "chatbot", "agent", "model", "llm"), ASSISTANT),
    **dict.fromkeys(("tool", "function"), TOOL),
    "system": SYSTEM,
}
"""Roles that are no person's -> in words what speaks."""

ROLES = frozenset((
    *MACHINES, "user", "developer", "human", "customer", "client", "operator", "support", "unknown", "anonymous",
))  # fmt: skip
"""Senders that say what someone is, not who; compared casefolded and without white space around."""


def is_named(sender: str) -> bool:
    """Whether a sender is a name and not a role: "the user" is nobody's name."""
    return _role(sender) not in ROLES


def machine(sender: str) -> str:
    """What kind of machine has this role: `ASSISTANT`, `TOOL`, `SYSTEM`, or "" for a person and every name."""
    return MACHINES.get(_role(sender), "")


def _role(sender: str) -> str:
    return sender.strip().casefold()
