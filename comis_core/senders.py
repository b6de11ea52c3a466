"""Who speaks: senders that are names, and those that are roles.

Public: the sequence of turns, the block for the prompt and plugins that look for people ask alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

import attrs

from comis_core.model.shown import Compared

ASSISTANT, TOOL, SYSTEM = "the assistant", "a tool", "the system"
MACHINES: Mapping[str, str] = MappingProxyType({
    **dict.fromkeys(("assistant", "ai", "bot", "chatbot", "agent", "model", "llm"), ASSISTANT),
    **dict.fromkeys(("tool", "function"), TOOL),
    "system": SYSTEM,
})
"""Roles that are no person's -> in words what speaks."""

_SERVED = frozenset(("customer", "client"))

ROLES = frozenset((
    *MACHINES, "user", "developer", "human", "customer", "client", "operator", "support", "unknown", "anonymous",
))  # fmt: skip
"""Senders that say what someone is, not who; compared casefolded and without white space around."""


def _fold(name: str) -> str:
    from comis_core.text import fold_name  # where no name is given, as in most configurations, nothing needs it

    return fold_name(name)


def _folded(names: Iterable[str]) -> frozenset[str]:
    return frozenset(map(_fold, names))


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Roles(Compared):
    """Which senders of an agent's memories are people, and which are machines.

    Without anything said of them, the senders in `ROLES` are roles and all others are names of people.

    assistants: names of assistants, and other senders that one speaks under. people: senders in `ROLES` that are
    names of people here. Both are kept folded (`text.fold_name`), and so are senders compared with them; they go before
    the tables. What is in both is an assistant's.
    """

    assistants: frozenset[str] = attrs.field(default=frozenset(), converter=_folded)
    people: frozenset[str] = attrs.field(default=frozenset(), converter=_folded)

    def is_named(self, sender: str) -> bool:
        """Whether a sender is a name and not a role: "the user" is nobody's name. An assistant may have one too."""
        return _role(sender) not in ROLES or (bool(self.people) and _fold(sender) in self.people)

    def machine(self, sender: str) -> str:
        """What kind of machine this is: `ASSISTANT`, `TOOL`, `SYSTEM`, or "" for a person."""
        return self._kind(sender, MACHINES.get(_role(sender), ""))

    def machines(self, senders: Iterable[str]) -> Mapping[str, str]:
        """Those of the senders of one scope that are machines -> what kind.

        Beside a customer an `agent` is a person, unless it is among `assistants`.
        """
        roles = {sender: _role(sender) for sender in senders}
        served = not _SERVED.isdisjoint(roles.values())
        tables = {
            sender: "" if served and role == "agent" else MACHINES.get(role, "") for sender, role in roles.items()
        }
        kinds = {sender: self._kind(sender, kind) for sender, kind in tables.items()} if self._says_any else tables
        return {sender: kind for sender, kind in kinds.items() if kind}

    def is_person(self, sender: str) -> bool:
        """Whether a sender is the name of a person: neither a role nor an assistant's name."""
        return self.is_named(sender) and not self.machine(sender)

    @property
    def _says_any(self) -> bool:
        return bool(self.assistants or self.people)

    def _kind(self, sender: str, kind: str) -> str:
        """What kind of machine a sender is that is of this kind where nothing is said of it."""
        if not self._says_any:
            return kind
        name = _fold(sender)
        if name in self.assistants:
            return ASSISTANT
        return "" if name in self.people else kind


def _role(sender: str) -> str:
    return sender.strip().casefold()
