"""Who speaks: senders that are names, and those that are roles.

Public: the sequence of turns and plugins that look for people ask alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

ASSISTANT, TOOL, SYSTEM = "the assistant", "a tool", "the system"
MACHINES = {
    **dict.fromkeys(("assistant", "ai", "bot", "chatbot", "agent", "model", "llm"), ASSISTANT),
    **dict.fromkeys(("tool", "function"), TOOL),
    "system": SYSTEM,
}
"""Roles that are no person's -> in words what speaks."""

_SERVED = ("customer", "client")

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


def machines(senders: Iterable[str]) -> Mapping[str, str]:
    """Those of the senders of one scope that are machines -> what kind; beside a customer an `agent` is a person."""
    everyone = list(senders)
    served = any(_role(sender) in _SERVED for sender in everyone)
    kinds = {sender: machine(sender) for sender in everyone if not (served and _role(sender) == "agent")}
    return {sender: kind for sender, kind in kinds.items() if kind}


def _role(sender: str) -> str:
    return sender.strip().casefold()
